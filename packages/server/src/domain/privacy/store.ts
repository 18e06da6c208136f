import type { Person } from "./person.ts";

/** What happens to the rows of a table when a person is erased. */
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
  /** Counts the rows about a person. Tables without any are left out. */
  count(person: Person): Promise<PersonalRows[]>;
  /** Every row about a person. Entries by other people do not say who they are. */
  export(person: Person): Promise<StoredData>;
  /** Deletes or anonymizes every row about a person. Call it in a transaction. */
  erase(person: Person, pseudonym: string): Promise<void>;
}
