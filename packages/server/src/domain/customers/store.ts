import type { Account, AccountWithOrganization } from "../access/account.ts";
import type { SecretHash } from "../access/secret.ts";
import type { AuditEntry } from "../audit/entry.ts";
import type { Event } from "../events/event.ts";
import type { Key, KeySecret } from "../keys/key.ts";
import type { LegacyKey } from "../legacy-keys/legacy-key.ts";
import type { Licence } from "../licences/licence.ts";
import type { Organization } from "../organizations/organization.ts";
import type { Tables } from "../store.ts";

/** A secret of a key that exists already. */
export interface KnownSecret extends Pick<KeySecret, "hash" | "prefix" | "keyId"> {
  organizationId: string | null;
}

/** Everything that an import creates. */
interface NewCustomers {
  organizations: readonly Organization[];
  licences: readonly Licence[];
  accounts: readonly Account[];
  keys: readonly { key: Key; secret: KeySecret }[];
  legacyKeys: readonly LegacyKey[];
}

/** Reads and writes many customers with few statements, because an import holds up all other changes. */
export interface CustomerStore {
  /** Organizations with one of these external ids, ids or names. */
  organizations(by: { externalIds: readonly string[]; names: readonly string[] }): Promise<Organization[]>;
  countOrganizations(): Promise<number>;
  /** The following return what belongs to the organizations, in the order of creation. */
  licencesOf(organizationIds: readonly string[]): Promise<Licence[]>;
  accountsOf(organizationIds: readonly string[]): Promise<Account[]>;
  keysOf(organizationIds: readonly string[]): Promise<Key[]>;
  legacyKeysOf(organizationIds: readonly string[]): Promise<LegacyKey[]>;
  accountsByEmail(emails: readonly string[]): Promise<AccountWithOrganization[]>;
  secrets(by: { hashes: readonly SecretHash[]; prefixes: readonly string[] }): Promise<KnownSecret[]>;
  legacyKeysByHash(hashes: readonly SecretHash[]): Promise<LegacyKey[]>;
  insert(customers: NewCustomers): Promise<void>;
  /** Replaces organizations and licences that exist. */
  update(customers: Pick<NewCustomers, "organizations" | "licences">): Promise<void>;
  insertEntries(entries: readonly AuditEntry[], events: readonly Omit<Event, "revision">[]): Promise<void>;
  /**
   * Runs work that writes many audit entries and events, and updates many organizations and licences. They are written many
   * at a time, but always before the work reads or writes anything else. Call it in a transaction.
   */
  inBatch<T>(work: (tables: Tables) => Promise<T>): Promise<T>;
}

declare module "../store.ts" {
  interface Tables {
    customers: CustomerStore;
  }
}
