/** A file of a published build. */
export interface DumpedFile {
  objectKey: string;
  sizeBytes: number;
  sha256: string;
}

/** Rows of one table, with the columns that every engine has. */
export interface Batch {
  table: string;
  rows: readonly Record<string, unknown>[];
}

/** The whole database at one moment, without builds that are still being staged. */
interface Dump {
  revision: number;
  files: DumpedFile[];
  /** Ordered so that a row comes after those it refers to. Can be read while `DumpStore.dump` runs. */
  batches(): AsyncIterable<Batch>;
}

/** Whether the database is a copy of another one. */
export interface CopyStore {
  /** When it was copied or restored; undefined if it was not, or was activated since. */
  copied(): Promise<Date | undefined>;
  unmark(): Promise<void>;
}

export interface DumpStore {
  /** Reads from one snapshot, whatever changes meanwhile. */
  dump<T>(read: (dump: Dump) => Promise<T>): Promise<T>;
  /** Fails with a conflict if any table has a row. */
  requireEmpty(): Promise<void>;
  /** Writes a dump into an empty database, in one transaction. `copied` marks it as a copy. */
  load(dump: Pick<Dump, "revision" | "batches"> & { copied: Date | null }): Promise<void>;
}

declare module "../store.ts" {
  interface Tables {
    copies: CopyStore;
  }
  interface Store extends DumpStore {}
}
