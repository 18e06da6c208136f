import {
  account,
  family,
  key,
  legacyKey,
  organization,
  secret,
  version,
} from "../../server/test/adapters/sql/samples.ts";
import { licence } from "../../server/test/domain/licences/terms.ts";
import type { Depot } from "./depot.ts";

const DAY_MS = 86_400_000;

/** Adds customers, each with an account and a licence that ends after as many days, keys of the first one, and families without a build. Returns its id. */
export async function addManyRows(
  depot: Depot,
  counts: { customers: number; keys: number; families?: number },
): Promise<string> {
  const { store } = depot.running.service.services;
  const now = new Date();
  const customers = Array.from({ length: counts.customers }, (_, index) =>
    organization({ name: `Customer ${String(index).padStart(5, "0")}`, created: now }),
  );
  const organizationId = customers[0]?.id ?? "";
  await store.change(async (tables) => {
    for (const [index, { id }] of customers.entries()) {
      await tables.organizations.insert(customers[index] ?? organization());
      const number = String(index).padStart(5, "0");
      const person = { email: `person${number}@example.org`, name: `Person ${number}` };
      await tables.accounts.insert(account({ ...person, role: "viewer", organizationId: id }));
      const expires = new Date(now.getTime() + (index + 0.5) * DAY_MS);
      await tables.licences.insert(
        licence({ organizationId: id, base: "vpn_ip", starts: now, expires, redistribution: "internal" }),
      );
    }
    for (let index = 0; index < counts.keys; index += 1) {
      const made = key({ organizationId, name: `key ${String(index).padStart(5, "0")}`, created: now });
      await tables.keys.insert(made, secret(made));
      await tables.legacyKeys.insert(legacyKey({ organizationId, name: `old ${String(index).padStart(5, "0")}` }));
    }
    for (let index = 0; index < (counts.families ?? 0); index += 1) {
      const made = family({ name: `Area-${String(index).padStart(5, "0")}` });
      await tables.families.insert(made);
      await tables.versions.insert(version(made.base));
    }
  });
  return organizationId;
}
