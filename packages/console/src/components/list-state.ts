/** The part of the URL of a list after "?". */
export interface ListState {
  q?: string;
  sort?: string;
  /** Also shows rows that are no longer in use, such as revoked keys. */
  all?: boolean;
}

export function parseListState({ q, sort, all }: Record<string, unknown>): ListState {
  return {
    ...(typeof q === "string" && q !== "" && { q }),
    ...(typeof q === "number" && { q: String(q) }),
    ...(typeof sort === "string" && { sort }),
    ...(all === true && { all }),
  };
}
