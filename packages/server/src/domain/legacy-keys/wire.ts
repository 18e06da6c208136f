import type { OperatorLegacyKey } from "@dbdepot/contract/operator/legacy-keys";
import type { LegacyKey } from "./legacy-key.ts";

export function legacyKeyToWire(key: LegacyKey): OperatorLegacyKey {
  return {
    id: key.id,
    organization_id: key.organizationId,
    name: key.name,
    database_ids: key.databaseIds,
    created: key.created.toISOString(),
    last_used: key.lastUsed?.toISOString() ?? null,
    revoked: key.revoked?.toISOString() ?? null,
  };
}
