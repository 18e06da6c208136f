import type { CatalogueEntry } from "./api.ts";

/** The part of the URL after "?". */
export interface CatalogueFilter {
  q?: string;
  show?: "overdue" | "archived";
  sort?: string;
}

export function parseCatalogueFilter({ q, show, sort }: Record<string, unknown>): CatalogueFilter {
  return {
    ...(typeof q === "string" && q !== "" && { q }),
    ...((show === "overdue" || show === "archived") && { show }),
    ...(typeof sort === "string" && { sort }),
  };
}

/** Archived families are shown only on request. */
export function matches({ family, versions }: CatalogueEntry, { q = "", show }: CatalogueFilter): boolean {
  if ((family.archived !== null) !== (show === "archived")) return false;
  if (show === "overdue" && !versions.some(({ overdue }) => overdue)) return false;
  const words = q.toLowerCase().split(/\s+/);
  const text = [family.base, family.name, ...versions.flatMap(({ id, summary }) => [id, summary])];
  return words.every((word) => text.join(" ").toLowerCase().includes(word));
}
