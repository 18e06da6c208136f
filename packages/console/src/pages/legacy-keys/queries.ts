import type { OperatorLegacyKey } from "@dbdepot/contract/operator/legacy-keys";
import { queryOptions } from "@tanstack/react-query";
import { allPages, api } from "../../app/api.ts";

/** The v1 keys of one organization or of all of them, the most recently used ones first. */
export function legacyKeysQuery(organizationId?: string) {
  return queryOptions({
    queryKey: ["legacy-keys", organizationId],
    queryFn: async (): Promise<OperatorLegacyKey[]> => {
      const keys = await allPages(
        (url) => api.legacyKeys(organizationId, url),
        ({ legacy_keys }) => legacy_keys,
      );
      return keys.toSorted((a, b) => (b.last_used ?? "").localeCompare(a.last_used ?? ""));
    },
  });
}
