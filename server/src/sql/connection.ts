import type { Kysely } from "kysely";
import type { Schema } from "./schema.ts";

/** A database, or a transaction on it. */
export type Queries = Kysely<Schema>;

/** What the two engines do differently. */
export interface Engine {
  queries: Queries;
  /** The column type for text: compared byte by byte on both engines, so that they sort alike. */
  textType: string;
  /** The column type for bytes. */
  bytesType: "blob" | "bytea";
  /** Holds until the transaction ends: one migrator at a time. */
  lockMigrations(transaction: Queries): Promise<void>;
  /** Whether there is such a table where our queries look for it: a shared database may have another's elsewhere. */
  hasTable(name: string): Promise<boolean>;
  close(): Promise<void>;
}
