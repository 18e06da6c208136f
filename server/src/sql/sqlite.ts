import { extname } from "node:path";
import type { SQLInputValue } from "node:sqlite";
import { Worker } from "node:worker_threads";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
  type TransactionSettings,
} from "kysely";
import type { Engine } from "./connection.ts";
import type { Schema } from "./schema.ts";
import type { SqliteRequest, SqliteResponse } from "./sqlite-worker.ts";

/** One for the history's commits, one for changes, one for reads: none waits for another. */
const CONNECTIONS_MAX = 3;

export function openSqlite(path: string): Engine {
  const driver = new SqliteThreads(path);
  const queries = new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SeveralConnections(),
      createDriver: () => driver,
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  return {
    queries,
    textType: "text",
    bytesType: "blob",
    given: (rows, columns) => {
      const values = Object.keys(columns).map((name) => sql`value ->> ${sql.lit(name)} as ${sql.ref(name)}`);
      return sql`(select ${sql.join(values)} from json_each(${JSON.stringify(rows)})) as given`;
    },
    insertNew: async (table, rows, columns) => {
      const connection = await driver.acquireConnection();
      try {
        const names = Object.keys(columns);
        const places = names.map(() => "?").join(", ");
        const sql = `insert into ${table} (${names.join(", ")}) values (${places}) on conflict (id) do nothing`;
        const values = rows.map((row) => names.map((name) => row[name] ?? null));
        await connection.runForEach(sql, values);
      } finally {
        await driver.releaseConnection(connection);
      }
    },
    // Every writing transaction begins "immediate" and so has the only write lock.
    lockMigrations: async () => {},
    hasTable: async (name) => {
      const { rows } = await sql`select 1 from sqlite_master where type = 'table' and name = ${name}`.execute(queries);
      return rows.length > 0;
    },
    close: () => queries.destroy(),
  };
}

/** Kysely holds SQLite to one connection, so that reads would wait for every commit. */
class SeveralConnections extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** A pool of connections, each on a thread of its own, started when first needed. */
class SqliteThreads implements Driver {
  readonly #path: string;
  readonly #all: SqliteConnection[] = [];
  readonly #idle: SqliteConnection[] = [];
  readonly #waiting: ((connection: SqliteConnection) => void)[] = [];

  constructor(path: string) {
    this.#path = path;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    const idle = this.#idle.pop();
    if (idle) return idle;
    if (this.#all.length < CONNECTIONS_MAX) {
      const connection = new SqliteConnection(this.#path);
      this.#all.push(connection);
      return connection;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async releaseConnection(connection: SqliteConnection): Promise<void> {
    const next = this.#waiting.shift();
    if (next) next(connection);
    else this.#idle.push(connection);
  }

  async beginTransaction(connection: SqliteConnection, settings: TransactionSettings): Promise<void> {
    // A deferred transaction that turns from reading to writing can fail at once with
    // "database is locked"; one that begins "immediate" waits for its turn.
    const mode = settings.accessMode === "read only" ? "begin deferred" : "begin immediate";
    await connection.executeQuery(CompiledQuery.raw(mode));
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("commit"));
  }

  async rollbackTransaction(connection: SqliteConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("rollback"));
  }

  async destroy(): Promise<void> {
    await Promise.all(this.#all.map((connection) => connection.close()));
  }
}

interface Waiting {
  resolve(result: QueryResult<never>): void;
  reject(error: Error): void;
}

class SqliteConnection implements DatabaseConnection {
  readonly #worker: Worker;
  /** Answers come in the order of the requests. */
  readonly #waiting: Waiting[] = [];
  #failure: Error | undefined;

  constructor(path: string) {
    this.#worker = new Worker(new URL(`./sqlite-worker${extname(import.meta.url)}`, import.meta.url), {
      workerData: { path },
      // Some room for young objects, and not as much as a thread would take otherwise.
      resourceLimits: { maxYoungGenerationSizeMb: 6 },
    });
    this.#worker.unref();
    this.#worker.on("message", (response: SqliteResponse) => this.#settle(response));
    this.#worker.on("error", (error: Error) => this.#failAll(error));
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#ask({ sql: query.sql, parameters: query.parameters as SQLInputValue[] });
  }

  /** One statement for many rows, in one transaction. */
  async runForEach(sql: string, rows: readonly SQLInputValue[][]): Promise<void> {
    await this.#ask({ sql, rowsJson: JSON.stringify(rows) });
  }

  #ask<R>(request: SqliteRequest): Promise<QueryResult<R>> {
    if (this.#failure) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      // A process waits for its queries, but an idle connection does not keep it alive.
      if (this.#waiting.length === 0) this.#worker.ref();
      this.#waiting.push({ resolve, reject });
      this.#worker.postMessage(request);
    });
  }

  // biome-ignore lint/correctness/useYield: the driver's interface asks for it; pages are read by limit instead
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("SQLite queries are not streamed: read them in pages");
  }

  async close(): Promise<void> {
    if (this.#failure) return;
    const ended = new Promise((resolve) => this.#worker.once("exit", resolve));
    this.#worker.ref();
    this.#worker.postMessage("close");
    await ended;
  }

  #settle(response: SqliteResponse): void {
    const waiting = this.#waiting.shift();
    if (this.#waiting.length === 0) this.#worker.unref();
    if ("error" in response) {
      waiting?.reject(Object.assign(new Error(response.error.message), { code: response.error.code }));
    } else {
      const changes = response.changes === undefined ? {} : { numAffectedRows: BigInt(response.changes) };
      waiting?.resolve({ rows: toRecords(response) as never[], ...changes });
    }
  }

  #failAll(error: Error): void {
    this.#failure = error;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(error);
  }
}

function toRecords({ columns, rows }: { columns: string[]; rows: unknown[][] }): Record<string, unknown>[] {
  return rows.map((row) => {
    const record: Record<string, unknown> = {};
    for (let i = 0; i < columns.length; i += 1) record[columns[i] as string] = row[i];
    return record;
  });
}
