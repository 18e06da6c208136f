import type { Kysely, RawBuilder } from "kysely";
import type { AttemptStore } from "../downloads/store.ts";
import type { Schema } from "./schema.ts";

/** A database, or a transaction on it. */
export type Queries = Kysely<Schema>;

type Columns = Readonly<Record<string, "text" | "bigint">>;

/** What the two engines do differently. */
export interface Engine {
  name: "sqlite" | "postgres";
  queries: Queries;
  /** The history: what is written on the path of every download is stored as each engine does it best. */
  attempts: AttemptStore;
  /** The column type for text: compared byte by byte on both engines, so that they sort alike. */
  textType: string;
  /** The column type for bytes. */
  bytesType: "blob" | "bytea";
  /**
   * The rows of a JSON array of objects, to select from, under the name `given`. However many they are, they are one
   * parameter of one and the same statement, which need not be put together, prepared and cached for each number of rows.
   */
  given(rows: readonly object[], columns: Columns): RawBuilder<unknown>;
  /** Holds until the transaction ends: one migrator at a time. */
  lockMigrations(transaction: Queries): Promise<void>;
  /** Whether there is such a table where our queries look for it: a shared database may have another's elsewhere. */
  hasTable(name: string): Promise<boolean>;
  close(): Promise<void>;
}
