import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, inject } from "vitest";
import { type DatabaseAddress, openStore } from "../../../packages/server/src/adapters/sql/open.ts";
import type { Store } from "../../../packages/server/src/domain/store.ts";
import { databaseUrl, newDatabaseName, runOn, SQLITE_FILE } from "./templates.ts";

type Schema = "current" | "none";
type Row = Record<string, unknown>;

/** A database for a single test or suite. */
export interface TestDatabase {
  address: DatabaseAddress;
  /** Runs SQL without going through the store, to inspect or corrupt what is stored. */
  query(sql: string): Promise<Row[]>;
  /** Every row of every table. */
  dump(): Promise<Record<string, Row[]>>;
  dispose(): Promise<void>;
}

/** A store with its own database. `dispose` closes the store and drops the database. */
export interface OpenedStore extends TestDatabase {
  store: Store;
}

export interface TestEngine {
  name: DatabaseAddress["engine"];
  create(schema: Schema): Promise<TestDatabase>;
  /** Opens a store on a database with the current schema. */
  open(): Promise<OpenedStore>;
  /** Opens a store on a database without any schema. */
  openEmpty(): Promise<OpenedStore>;
}

const sqlite = testEngine("sqlite", createSqlite);
const postgres = testEngine("postgres", createPostgres);

/** Suites run once for each engine: `for (const engine of engines) describe(engine.name, () => …)`. */
export const engines: readonly TestEngine[] = inject("postgresUrl") ? [sqlite, postgres] : [sqlite];

/** One of the engines, for suites that hardly depend on it: SQLite in `npm test`, PostgreSQL in `npm run test:slow`. */
export function eitherEngine(): TestEngine[] {
  return engines.filter(({ name }) => name === (process.env.DBDEPOT_TEST_STAGE ?? "sqlite"));
}

export function engineNamed(name: TestEngine["name"]): TestEngine {
  return name === "sqlite" ? sqlite : postgres;
}

/** One store for all tests of the enclosing `describe`. */
export function sharedStore(engine: TestEngine): OpenedStore {
  const shared = {} as OpenedStore;
  beforeAll(async () => {
    Object.assign(shared, await engine.open());
  });
  afterAll(() => shared.dispose());
  return shared;
}

function testEngine(name: TestEngine["name"], create: (schema: Schema) => Promise<TestDatabase>): TestEngine {
  async function open(schema: Schema): Promise<OpenedStore> {
    const database = await create(schema);
    const store = await openStore(database.address);
    return {
      ...database,
      store,
      dispose: async () => {
        await store.close();
        await database.dispose();
      },
    };
  }
  return { name, create, open: () => open("current"), openEmpty: () => open("none") };
}

/** Returns a path in a new directory. */
export async function sqliteFile(): Promise<{ path: string; remove(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), "dbdepot-test-"));
  return { path: join(directory, SQLITE_FILE), remove: () => rm(directory, { recursive: true }) };
}

async function createSqlite(schema: Schema): Promise<TestDatabase> {
  const { path, remove } = await sqliteFile();
  if (schema === "current") await cp(inject("templates").sqlite, dirname(path), { recursive: true });
  const query: TestDatabase["query"] = async (sql) => {
    // SQLite's own waiting would block the thread for which a transaction of the service may wait.
    for (;;) {
      try {
        using database = new DatabaseSync(path);
        return database.prepare(sql).all();
      } catch (error) {
        if (!/database is locked/.test(String(error))) throw error;
        await delay(20);
      }
    }
  };
  return {
    address: { engine: "sqlite", path },
    query,
    dump: () => dumpTables(query, "select name from sqlite_master where type = 'table'"),
    dispose: remove,
  };
}

async function createPostgres(schema: Schema): Promise<TestDatabase> {
  const serverUrl = postgresUrl();
  const name = newDatabaseName();
  await runOn(
    serverUrl,
    `create database ${name} template ${schema === "current" ? inject("templates").postgres : "template1"}`,
  );
  const url = databaseUrl(serverUrl, name);
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  // `pool.end` does not wait for its connections, so dropping the database may cut one.
  pool.on("error", () => {});
  const query: TestDatabase["query"] = async (sql) => (await pool.query(sql)).rows;
  return {
    address: { engine: "postgres", url },
    query,
    dump: () => dumpTables(query, "select tablename as name from pg_tables where schemaname = 'public'"),
    dispose: async () => {
      await pool.end();
      await runOn(serverUrl, `drop database ${name} with (force)`);
    },
  };
}

/** The URL of the database `postgres`, for a superuser. */
export function postgresUrl(): string {
  const url = inject("postgresUrl");
  if (!url) throw new Error("PostgreSQL did not start");
  return url;
}

async function dumpTables(query: TestDatabase["query"], tablesSql: string): Promise<Record<string, Row[]>> {
  const tables = (await query(tablesSql)).map(({ name }) => String(name));
  return Object.fromEntries(await Promise.all(tables.map(async (table) => [table, await sortedRows(query, table)])));
}

async function sortedRows(query: TestDatabase["query"], table: string): Promise<Row[]> {
  const rows = await query(`select * from "${table}"`);
  const sorted = rows.map((row) => ({ row, text: JSON.stringify(row) })).sort((a, b) => (a.text < b.text ? -1 : 1));
  return sorted.map(({ row }) => row);
}
