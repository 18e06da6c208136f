import type { Account, AccountWithOrganization } from "../access/account.ts";
import type { SecretHash } from "../access/secret.ts";
import type { Key } from "../keys/key.ts";
import type { LegacyKey } from "../legacy-keys/legacy-key.ts";
import type { Licence } from "../licences/licence.ts";
import type { Organization } from "../organizations/organization.ts";
import type { Tables } from "../store.ts";
import type { CustomerRecords } from "./record.ts";
import type { KnownSecret } from "./store.ts";

/** What the database has about the customers of a file. */
export interface Existing {
  /** By the external id in the file. An organization without one is found by its own id, as an export writes it. */
  organizations: Map<string, Organization>;
  organizationsByName: Map<string, Organization>;
  /** All organizations, also those that are not in the file. */
  organizationCount: number;
  licences: Map<string, Licence[]>;
  accounts: Account[];
  accountsByEmail: Map<string, AccountWithOrganization>;
  keys: Map<string, Key[]>;
  secretsByHash: Map<SecretHash, KnownSecret>;
  secretsByPrefix: Map<string, KnownSecret>;
  legacyKeys: LegacyKey[];
  legacyKeysByHash: Map<SecretHash, LegacyKey>;
  families: Set<string>;
  versions: Set<string>;
}

type ReadTables = Pick<Tables, "customers" | "families" | "versions">;

export async function loadExisting({ customers, families, versions }: ReadTables, records: CustomerRecords) {
  const { organizations, licences, accounts, keys, legacyKeys } = records;
  const everything = [...organizations, ...licences, ...accounts, ...keys, ...legacyKeys];
  const externalIds = new Set(everything.map(({ organization }) => organization));
  const found = await customers.organizations({
    externalIds: [...externalIds],
    names: organizations.map(({ name }) => name),
  });
  const matched = new Map(found.filter(({ id }) => externalIds.has(id)).map((each) => [each.id, each]));
  for (const each of found) {
    if (each.externalId !== null && externalIds.has(each.externalId)) matched.set(each.externalId, each);
  }
  const ids = [...new Set([...matched.values()].map(({ id }) => id))];
  const imported = keys.flatMap(({ secret }) => secret ?? []);
  const secrets = await customers.secrets({
    hashes: imported.map(({ hash }) => hash),
    prefixes: imported.map(({ prefix }) => prefix),
  });
  const people = await customers.accountsByEmail(accounts.map(({ email }) => email));
  const oldKeys = await customers.legacyKeysByHash(legacyKeys.map(({ hash }) => hash));
  const existing: Existing = {
    organizations: matched,
    organizationsByName: new Map(found.map((each) => [each.name, each])),
    organizationCount: await customers.countOrganizations(),
    licences: Map.groupBy(await customers.licencesOf(ids), ({ organizationId }) => organizationId),
    accounts: await customers.accountsOf(ids),
    accountsByEmail: new Map(people.map((each) => [each.email, each])),
    keys: Map.groupBy(await customers.keysOf(ids), ({ organizationId }) => organizationId ?? ""),
    secretsByHash: new Map(secrets.map((each) => [each.hash, each])),
    secretsByPrefix: new Map(secrets.map((each) => [each.prefix, each])),
    legacyKeys: await customers.legacyKeysOf(ids),
    legacyKeysByHash: new Map(oldKeys.map((each) => [each.hash, each])),
    families: new Set((await families.list()).map(({ base }) => base)),
    versions: new Set((await versions.list()).map(({ id }) => id)),
  };
  return existing;
}
