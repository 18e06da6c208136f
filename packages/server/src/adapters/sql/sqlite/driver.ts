import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  SelectQueryNode,
  type TransactionSettings,
} from "kysely";
import { type Lease, SqliteThread } from "./thread.ts";

/**
 * Runs Kysely's queries on two threads: reads on one, everything else on the other. A read begins after every commit
 * that was acknowledged before it, so callers see their own writes.
 */
export class SqliteDriver implements Driver {
  readonly #writer: SqliteThread;
  readonly #reader: SqliteThread;

  constructor(path: string) {
    this.#writer = new SqliteThread({ path, isReader: false });
    this.#reader = new SqliteThread({ path, isReader: true });
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    return new SqliteConnection(this.#writer, this.#reader);
  }

  async releaseConnection(connection: SqliteConnection): Promise<void> {
    connection.release();
  }

  beginTransaction(connection: SqliteConnection, { accessMode }: TransactionSettings): Promise<void> {
    return connection.begin(accessMode === "read only");
  }

  commitTransaction(connection: SqliteConnection): Promise<void> {
    return connection.commit();
  }

  rollbackTransaction(connection: SqliteConnection): Promise<void> {
    return connection.rollback();
  }

  /**
   * One after the other, because the last connection moves the log into the database. If two close at the same time, each
   * may leave it to the other.
   */
  async destroy(): Promise<void> {
    await this.#reader.close();
    await this.#writer.close();
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #writer: SqliteThread;
  readonly #reader: SqliteThread;
  /** Held for the duration of a transaction. */
  #lease: Lease | undefined;

  constructor(writer: SqliteThread, reader: SqliteThread) {
    this.#writer = writer;
    this.#reader = reader;
  }

  async executeQuery<R>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<R>> {
    const thread = SelectQueryNode.is(query) ? this.#reader : this.#writer;
    const lease = this.#lease ?? (await thread.lease());
    try {
      const { rows, changes } = await lease.worker.run({ sql, parameters });
      return { rows: rows as R[], ...(changes !== undefined && { numAffectedRows: BigInt(changes) }) };
    } finally {
      if (lease !== this.#lease) lease.release();
    }
  }

  // biome-ignore lint/correctness/useYield: the interface requires a generator
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("SQLite queries are not streamed: read them in pages");
  }

  async begin(isReadOnly: boolean): Promise<void> {
    this.#lease = await (isReadOnly ? this.#reader : this.#writer).lease();
    // A deferred transaction that starts to write later can fail immediately with "database is locked"; an immediate one
    // waits for the lock.
    await this.#run(isReadOnly ? "begin deferred" : "begin immediate");
  }

  async commit(): Promise<void> {
    await this.#run("commit");
  }

  async rollback(): Promise<void> {
    try {
      await this.#run("rollback");
    } catch {
      // The thread may still be inside the transaction. Its end rolls back, and the next caller gets a new thread.
      await this.#lease?.worker.terminate();
    }
  }

  release(): void {
    this.#lease?.release();
    this.#lease = undefined;
  }

  async #run(sql: string): Promise<void> {
    await this.#lease?.worker.run({ sql, parameters: [] });
  }
}
