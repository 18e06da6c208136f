import type { LineFaults } from "../../platform/primitives/bad-lines.ts";
import type { Account, AccountWithOrganization } from "../access/account.ts";
import type { SecretHash } from "../access/secret.ts";
import type { Key } from "../keys/key.ts";
import type { LegacyKey } from "../legacy-keys/legacy-key.ts";
import { normalizeUuid } from "../legacy-keys/legacy-key.ts";
import type { Licence } from "../licences/licence.ts";
import type { Organization } from "../organizations/organization.ts";
import { erasedAmong } from "../privacy/erased.ts";
import type { Tables } from "../store.ts";
import { parseTermsId } from "../terms/terms.ts";
import type { RawRecord } from "./columns.ts";
import type { CustomerRecords } from "./record.ts";
import type { KnownSecret } from "./store.ts";

/** The records in the database about the customers of a file. */
export interface Existing {
  /** The key is the external id in the file. An organization without one is found by its own id, as an export writes it. */
  organizations: Map<string, Organization>;
  organizationsByName: Map<string, Organization>;
  /** All organizations, also those that are not in the file. */
  organizationCount: number;
  licences: Map<string, Licence[]>;
  accounts: Account[];
  accountsByEmail: Map<string, AccountWithOrganization>;
  /** Addresses of the file whose owners were erased. */
  erased: Set<string>;
  keys: Map<string, Key[]>;
  secretsByHash: Map<SecretHash, KnownSecret>;
  secretsByPrefix: Map<string, KnownSecret>;
  legacyKeys: LegacyKey[];
  legacyKeysByHash: Map<SecretHash, LegacyKey>;
  families: Set<string>;
  versions: Set<string>;
  /** The ids of the terms that the file names. */
  terms: Set<string>;
}

type ReadTables = Pick<Tables, "customers" | "families" | "versions" | "terms" | "privacy">;

export async function loadExisting(
  { customers, families, versions, terms, privacy }: ReadTables,
  raw: readonly RawRecord[],
  records: CustomerRecords,
): Promise<Existing> {
  const { organizations, accounts, keys, legacyKeys } = records;
  const externalIds = new Set(raw.map(({ organization }) => organization));
  const found = await customers.organizations({
    // PostgreSQL rejects NUL characters, and the check of the id reports them.
    externalIds: [...externalIds].filter((id) => !id.includes("\0")),
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
  const emails = accounts.map(({ email }) => email);
  const people = await customers.accountsByEmail(emails);
  const namedTerms = raw.flatMap(({ values }) => (isTermsVersion(values.terms) ? [values.terms] : []));
  const oldKeys = await customers.legacyKeysByHash(legacyKeys.map(({ hash }) => hash));
  return {
    organizations: matched,
    organizationsByName: new Map(found.map((each) => [each.name, each])),
    organizationCount: await customers.countOrganizations(),
    licences: Map.groupBy(await customers.licencesOf(ids), ({ organizationId }) => organizationId),
    accounts: await customers.accountsOf(ids),
    accountsByEmail: new Map(people.map((each) => [each.email, each])),
    erased: await erasedAmong({ privacy }, emails),
    keys: Map.groupBy(await customers.keysOf(ids), ({ organizationId }) => organizationId ?? ""),
    secretsByHash: new Map(secrets.map((each) => [each.hash, each])),
    secretsByPrefix: new Map(secrets.map((each) => [each.prefix, each])),
    legacyKeys: await customers.legacyKeysOf(ids),
    legacyKeysByHash: new Map(oldKeys.map((each) => [each.hash, each])),
    families: new Set((await families.list()).map(({ base }) => base)),
    versions: new Set((await versions.list()).map(({ id }) => id)),
    terms: new Set((await terms.summaries([...new Set(namedTerms)])).map(({ id }) => id)),
  };
}

/** A name alone would stand for another version whenever one is added, so the same file would change licences. */
function isTermsVersion(value: unknown): value is string {
  return typeof value === "string" && parseTermsId(value)?.version !== undefined;
}

/** Checks what records refer to, also in records with other faults, so that all faults are reported at once. */
export function checkReferences(
  raw: readonly RawRecord[],
  { organizations, families, versions, terms: knownTerms }: Existing,
  faults: LineFaults,
): void {
  const declared = new Set(raw.flatMap(({ kind, organization }) => (kind === "organization" ? [organization] : [])));
  for (const { line, organization, values } of raw) {
    // A missing one is reported already.
    if (organization !== "" && !declared.has(organization) && !organizations.has(organization)) {
      faults.add(line, `there is no organization with the external id "${organization}", in the file or the database`);
    }
    const { family, terms, databases } = values;
    if (typeof family === "string" && !families.has(family)) faults.add(line, `there is no family "${family}"`);
    if (typeof terms === "string" && !isTermsVersion(terms)) {
      faults.add(line, `terms must be a version, like data-licence@2: "terms list" shows all of them`);
    } else if (typeof terms === "string" && !knownTerms.has(terms)) {
      faults.add(line, `there are no terms "${terms}": add them first, or choose from "terms list"`);
    }
    for (const id of Array.isArray(databases) ? databases : []) {
      if (versions.has(id) || normalizeUuid(id) !== undefined) continue;
      const hint = families.has(id) ? `: that is a family; its versions are named ${id}_v<n>` : "";
      faults.add(line, `there is no version "${id}"${hint}`);
    }
  }
}
