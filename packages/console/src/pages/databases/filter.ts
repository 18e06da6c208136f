/** The part of the URL after "?". */
export interface Filter {
  q?: string;
  standing?: "available" | "other";
  sort?: string;
}

export function parseFilter({ q, standing, sort }: Record<string, unknown>): Filter {
  return {
    ...(typeof q === "string" && q !== "" && { q }),
    ...((standing === "available" || standing === "other") && { standing }),
    ...(typeof sort === "string" && { sort }),
  };
}
