import type { ListedVersion, OperatorFamily } from "@dbdepot/contract/operator/catalogue";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../app/api.ts";

export interface CatalogueEntry {
  family: OperatorFamily;
  /** Oldest first. */
  versions: ListedVersion[];
}

/** The whole catalogue. Everything below it, such as builds, has a key that starts with the same word. */
export const catalogueQuery = queryOptions({
  queryKey: ["catalogue"],
  queryFn: async (): Promise<CatalogueEntry[]> => {
    const [{ families }, { versions }] = await Promise.all([api.families(), api.versions()]);
    const versionsOf = Map.groupBy(versions, ({ base }) => base);
    return families.map((family) => ({ family, versions: versionsOf.get(family.base) ?? [] }));
  },
});

export function buildsQuery(versionId: string) {
  return queryOptions({
    queryKey: ["catalogue", "builds", versionId],
    queryFn: async () => {
      const { body, next } = await api.builds(versionId);
      return { builds: body.builds, hasMore: next !== undefined };
    },
  });
}
