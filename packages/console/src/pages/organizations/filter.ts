/** The part of the URL of the list after "?". */
export interface OrganizationFilter {
  q?: string;
  archived?: boolean;
}

export function parseOrganizationFilter({ q, archived }: Record<string, unknown>): OrganizationFilter {
  return {
    ...(typeof q === "string" && q !== "" && { q }),
    ...(archived === true && { archived }),
  };
}
