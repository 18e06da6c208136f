import type { LegacyKeysQuery, OperatorLegacyKey } from "@dbdepot/contract/operator/legacy-keys";
import { list, send } from "../../app/api.ts";

/** The prefix of the query keys of all lists of v1 keys. */
export const LEGACY_KEYS_KEY = ["legacy-keys"] as const;

export const legacyKeysApi = {
  list: list<OperatorLegacyKey, LegacyKeysQuery>("/api/operator/legacy-keys", "legacy_keys"),
  revoke: (id: string) => send<OperatorLegacyKey>("POST", `/api/operator/legacy-keys/${id}/revoke`),
};
