import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type OwnPostgresServer, startOwnPostgres } from "../harness/servers/postgres-server.ts";
import { rowsOf } from "../harness/service/templates.ts";

export const ENGINES = ["sqlite", "postgres"] as const;
export type Engine = (typeof ENGINES)[number];

export type Row = Record<string, string | number | null>;

/** The database under test. It is read directly, not through the service, to find partial changes. */
export interface Database extends AsyncDisposable {
  /** Undefined for the default: SQLite in the data directory. */
  url: string | undefined;
  query(sql: string): Promise<Row[]>;
  /** Ends PostgreSQL at once, as `pg_ctl stop -m immediate` does, and starts it again. */
  crash(): Promise<void>;
}

export async function openDatabase(engine: Engine, dataDir: string): Promise<Database> {
  return engine === "sqlite" ? sqliteIn(dataDir) : postgresOf(await startOwnPostgres());
}

function sqliteIn(dataDir: string): Database {
  return {
    url: undefined,
    async query(sql) {
      const database = new DatabaseSync(join(dataDir, "dbdepot.sqlite"), { readOnly: true, timeout: 10_000 });
      try {
        return database.prepare(sql).all() as Row[];
      } finally {
        database.close();
      }
    },
    crash: () => Promise.reject(new Error("SQLite has no process of its own")),
    [Symbol.asyncDispose]: async () => {},
  };
}

function postgresOf(server: OwnPostgresServer): Database {
  return {
    url: server.url,
    query: (sql) => rowsOf(server.url, sql) as Promise<Row[]>,
    async crash() {
      await server.crash();
      await server.start();
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}
