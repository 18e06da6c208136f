import type { Person } from "./person.ts";

/** The effect of erasing a person on the rows of a table. */
type ErasureAction = "deleted" | "anonymized";

export interface PersonalRows {
  table: string;
  action: ErasureAction;
  count: number;
}

/** Rows by the name of their table, without secrets. */
export type StoredData = Record<string, Record<string, unknown>[]>;

/** Knows which columns of all tables are about people. */
export interface PrivacyStore {
  /** The address of an account that was deleted, from the audit log. */
  emailOfDeleted(accountId: string): Promise<string | undefined>;
  /** Everything that refers to the person with this address. */
  find(email: string): Promise<Person>;
  /** The addresses of all people who belong to an organization or asked for access in its name. */
  emailsOf(organizationId: string): Promise<string[]>;
  /** Counts the rows that `erase` would change. Tables without any are left out. */
  count(person: Person): Promise<PersonalRows[]>;
  /** Every row about a person. Entries by other people do not say who they are. */
  export(person: Person): Promise<StoredData>;
  /** Deletes or anonymizes every row about a person, and returns how many it changed. Call it in a transaction. */
  erase(person: Person, pseudonym: string): Promise<PersonalRows[]>;
  /** The key of the digests; undefined until someone was erased. */
  secret(): Promise<string | undefined>;
  insertSecret(secret: string): Promise<void>;
  /** Does nothing if it is stored already. */
  insertDigest(digest: string): Promise<void>;
  removeDigest(digest: string): Promise<void>;
  /** Filters out digests that are not stored. */
  knownDigests(digests: readonly string[]): Promise<Set<string>>;
  /** Removes what the database still has of overwritten rows in its files, if it can. Call it after the transaction. */
  purge(): Promise<void>;
}

declare module "../store.ts" {
  interface Tables {
    privacy: PrivacyStore;
  }
}
