import type { Kysely, RawBuilder } from "kysely";
import type { Schema } from "./schema.ts";

/** A database, or a transaction on it. */
export type Queries = Kysely<Schema>;

type Columns = Readonly<Record<string, "text" | "bigint">>;

/** The differences between SQLite and PostgreSQL. */
export interface Engine {
  name: "sqlite" | "postgres";
  queries: Queries;
  /**
   * The connection of the register, which polls often. It has a short timeout, so that the end of an outage is noticed
   * soon.
   */
  polls: Queries;
  /** The column type for text, which both engines compare byte by byte. */
  textType: string;
  bytesType: "blob" | "bytea";
  /**
   * A table expression named `input` with the rows of a JSON array. The rows are one parameter, so the statement is the
   * same for any number of them.
   */
  jsonRows(rows: readonly object[], columns: Columns): RawBuilder<unknown>;
  /** Runs one transaction without a time limit, exclusively across all processes. */
  migrationTransaction<T>(work: (transaction: Queries) => Promise<T>): Promise<T>;
  /**
   * Whether our queries would find this table: a shared PostgreSQL database may have one of that name in another
   * schema.
   */
  hasTable(name: string): Promise<boolean>;
  close(): Promise<void>;
}

/** One step of the schema, forward only. It runs inside the transaction of `migrate`. */
export interface Migration {
  name: string;
  /**
   * Set if the migration removes or changes something: the newest migration that a program must know to run on the
   * schema afterwards. Others leave it as it was.
   */
  compatibleWith?: Migration;
  up(transaction: Queries, engine: Pick<Engine, "name" | "textType" | "bytesType">): Promise<void>;
}
