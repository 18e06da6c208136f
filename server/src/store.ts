import type { AuditStore } from "./audit/store.ts";
import type { DumpStore } from "./backup/store.ts";
import type { BuildStore } from "./builds/store.ts";
import type { FamilyStore, VersionStore } from "./catalogue/store.ts";
import type { AttemptStore } from "./downloads/store.ts";
import type { KeyStore, LegacyKeyStore } from "./keys/store.ts";
import type { LicenceStore } from "./licences/store.ts";
import type { OrganizationStore } from "./organizations/store.ts";
import type { RegisterSource } from "./register/source.ts";

/** The ports of the nouns that change, on one database or inside one of its transactions. */
export interface Tables {
  organizations: OrganizationStore;
  families: FamilyStore;
  versions: VersionStore;
  builds: BuildStore;
  licences: LicenceStore;
  keys: KeyStore;
  legacyKeys: LegacyKeyStore;
  audit: AuditStore;
}

export interface Store extends Tables, RegisterSource, DumpStore {
  /** Not among what a change can write: the history has commits of its own, many rows each. */
  attempts: AttemptStore;
  /**
   * One transaction. Changes come one after the other, on all processes, so what one
   * checks still holds when it writes; and each raises the revision, so that every
   * register learns of it.
   */
  change<T>(work: (tables: Tables) => Promise<T>): Promise<T>;
  /** Whether nothing was ever set up here. */
  isNew(): Promise<boolean>;
  /** The migrations that this program has and the database has not, in their order. */
  pendingMigrations(): Promise<string[]>;
  /** Brings the schema up to date and tells which migrations that took. Safe to run from several processes at once. */
  migrate(): Promise<string[]>;
  close(): Promise<void>;
}

/** Somebody changes something, at one moment. */
export interface Operation {
  store: Store;
  /** For the audit: who. */
  actor: string;
  now: Date;
  /** Live keys an organization can have (default: 1000). */
  maxKeysPerOrganization?: number;
  /** Days after which an evaluation ends by default; 0: never (default: 30). */
  evaluationDays?: number;
}
