import { createKey, revokeKey } from "../keys/keys.ts";
import { createLegacyKey, revokeLegacyKey } from "../keys/legacy-keys.ts";
import { requireOrganization } from "../organizations/organizations.ts";
import type { Operation } from "../store.ts";
import { DEMO_ORGANIZATIONS } from "./organizations.ts";

const NAME = "demo key";
const LEGACY_DATABASE_IDS = ["bogon_ip_v1", "vpn_ip_v1"];

export interface DemoKeys {
  customers: { organization: string; standing: string; key: string }[];
  legacy: string;
}

/**
 * Creates new keys at every start and revokes those of the last one, so that the printed commands always work without
 * storing a secret.
 */
export async function renewDemoKeys(operation: Operation): Promise<DemoKeys> {
  const { store } = operation;
  for (const key of await store.keys.list({})) {
    if (key.name === NAME && !key.revoked) await revokeKey(operation, key.id);
  }
  for (const key of await store.legacyKeys.list()) {
    if (key.name === NAME && !key.revoked) await revokeLegacyKey(operation, key.id);
  }
  const customers: DemoKeys["customers"] = [];
  for (const { name, standing } of DEMO_ORGANIZATIONS) {
    const { plain } = await createKey(operation, {
      organizationId: (await requireOrganization(store, name)).id,
      name: NAME,
      scopes: ["db.download", "apikeys.manage"],
      cidrs: [],
      expires: null,
    });
    customers.push({ organization: name, standing, key: plain.reveal() });
  }
  const { uuid } = await createLegacyKey(operation, {
    organization: DEMO_ORGANIZATIONS[0].name,
    name: NAME,
    databaseIds: LEGACY_DATABASE_IDS,
  });
  return { customers, legacy: uuid };
}
