import { requireOrganization } from "../../domain/access/find-organization.ts";
import { createKey } from "../../domain/keys/keys.ts";
import { createLegacyKey } from "../../domain/legacy-keys/legacy-keys.ts";
import type { Operation } from "../../domain/store.ts";
import { DEMO_ORGANIZATIONS } from "./organizations.ts";

export const DEMO_KEY_NAME = "demo key";
const LEGACY_DATABASE_IDS = ["bogon_ip_v1", "vpn_ip_v1"];

export interface DemoKeys {
  customers: { organization: string; standing: string; key: string }[];
  legacy: string;
}

/** Creates new keys at every start, so that the printed commands always work without storing a secret. */
export async function createDemoKeys(operation: Operation): Promise<DemoKeys> {
  const { store } = operation;
  const customers: DemoKeys["customers"] = [];
  for (const { name, standing } of DEMO_ORGANIZATIONS) {
    const { plain } = await createKey(operation, {
      organizationId: (await requireOrganization(store, name)).id,
      name: DEMO_KEY_NAME,
      scopes: ["db.download", "apikeys.manage"],
      cidrs: [],
      expires: null,
    });
    customers.push({ organization: name, standing, key: plain.reveal() });
  }
  const { uuid } = await createLegacyKey(operation, {
    organization: DEMO_ORGANIZATIONS[0].name,
    name: DEMO_KEY_NAME,
    databaseIds: LEGACY_DATABASE_IDS,
  });
  return { customers, legacy: uuid };
}
