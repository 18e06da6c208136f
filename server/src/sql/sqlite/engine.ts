import type { SQLInputValue } from "node:sqlite";
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
import type { Engine } from "../connection.ts";
import type { Schema } from "../schema.ts";
import { SqliteAttempts } from "./attempts.ts";
import type { Query, QueryRows } from "./query-thread.ts";
import { toRecords } from "./records.ts";
import { SqliteThread } from "./thread.ts";

/** One for changes, one for reads: neither waits for the other. The history has a thread of its own. */
const CONNECTIONS_MAX = 2;

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
  const attempts = new SqliteAttempts(path, queries);
  return {
    name: "sqlite",
    queries,
    attempts,
    textType: "text",
    bytesType: "blob",
    given: (rows, columns) => {
      const values = Object.keys(columns).map((name) => sql`value ->> ${sql.lit(name)} as ${sql.ref(name)}`);
      return sql`(select ${sql.join(values)} from json_each(${JSON.stringify(rows)})) as given`;
    },
    // Every writing transaction begins "immediate" and so has the only write lock.
    lockMigrations: async () => {},
    hasTable: async (name) => {
      const { rows } = await sql`select 1 from sqlite_master where type = 'table' and name = ${name}`.execute(queries);
      return rows.length > 0;
    },
    close: async () => {
      await attempts.close();
      await queries.destroy();
    },
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

class SqliteConnection implements DatabaseConnection {
  readonly #thread: SqliteThread<Query, QueryRows>;

  constructor(path: string) {
    this.#thread = new SqliteThread("query-thread", path);
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { columns, rows, changes } = await this.#thread.ask({
      sql: query.sql,
      parameters: query.parameters as SQLInputValue[],
    });
    return {
      rows: toRecords(columns, rows) as R[],
      ...(changes !== undefined && { numAffectedRows: BigInt(changes) }),
    };
  }

  // biome-ignore lint/correctness/useYield: the driver's interface asks for it; pages are read by limit instead
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("SQLite queries are not streamed: read them in pages");
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
