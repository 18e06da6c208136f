/** The part of the URL after "?". */
export interface Filter {
  q?: string;
  standing?: "available" | "other";
}

export function parseFilter({ q, standing }: Record<string, unknown>): Filter {
  return {
    ...(typeof q === "string" && q !== "" && { q }),
    ...((standing === "available" || standing === "other") && { standing }),
  };
}
