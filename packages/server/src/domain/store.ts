/**
 * The stores that changes write to, outside or inside a transaction. Each noun adds its own in its `store.ts`, with
 * `declare module`, so this file knows none of them.
 */
// biome-ignore lint/suspicious/noEmptyInterface: nouns add to it.
export interface Tables {}

/** The database. Nouns and the register add what they read and write outside of changes. */
export interface Store extends Tables {
  /**
   * Runs one transaction. Changes run one at a time across all processes, so what a change has checked is still true when
   * it writes. Each one raises the revision, so that every register loads it.
   */
  change<T>(work: (tables: Tables) => Promise<T>): Promise<T>;
  /** Whether the database is empty. */
  isNew(): Promise<boolean>;
  /** The migrations that have not been applied yet, in order. */
  pendingMigrations(): Promise<string[]>;
  /**
   * The migrations that a newer version has applied. Like `pendingMigrations` and `migrate`, it fails with a conflict if this
   * version can't run on the schema.
   */
  newerMigrations(): Promise<string[]>;
  /** Brings the schema up to date and returns the migrations it applied. Several processes may call it concurrently. */
  migrate(): Promise<string[]>;
  close(): Promise<void>;
}

/** A change: who makes it, when, in which store, and under which rules. */
export interface Operation {
  store: Store;
  /** Recorded in the audit log. */
  actor: string;
  now: Date;
  /** Each noun has its own defaults. */
  rules?: Partial<Rules>;
}

/** The operator's settings that changes depend on. Each noun adds its own, like `Tables`. */
// biome-ignore lint/suspicious/noEmptyInterface: nouns add to it.
export interface Rules {}
