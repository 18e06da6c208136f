import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { afterAll, beforeAll, inject } from "vitest";
import { type DatabaseAddress, openStore } from "../src/sql/open.ts";
import type { Store } from "../src/store.ts";

type Row = Record<string, unknown>;

/** A store on a database of its own, which `dispose` removes. */
export interface OpenedStore {
  store: Store;
  address: DatabaseAddress;
  /** SQL past the store: to look at what is stored, or to spoil it. */
  query(sql: string): Promise<Row[]>;
  /** Every row of every table: what did not change is equal to itself. */
  dump(): Promise<Record<string, Row[]>>;
  dispose(): Promise<void>;
}

export interface TestEngine {
  name: DatabaseAddress["engine"];
  /** With the schema up to date. */
  open(): Promise<OpenedStore>;
  /** Without any schema. */
  openEmpty(): Promise<OpenedStore>;
}

/** Suites loop over them: `for (const engine of engines) describe(engine.name, () => …)`. */
export const engines: readonly TestEngine[] = [
  testEngine("sqlite", createSqlite, "select name from sqlite_master where type = 'table'"),
  testEngine("postgres", createPostgres, "select tablename as name from pg_tables where schemaname = 'public'"),
];

/** One store for all tests of the `describe` around the call. */
export function sharedStore(engine: TestEngine): OpenedStore {
  const shared = {} as OpenedStore;
  beforeAll(async () => {
    Object.assign(shared, await engine.open());
  });
  afterAll(() => shared.dispose());
  return shared;
}

type Database = Pick<OpenedStore, "address" | "query"> & { remove(): Promise<void> };

function testEngine(name: TestEngine["name"], create: () => Promise<Database>, tablesSql: string): TestEngine {
  async function openEmpty(): Promise<OpenedStore> {
    const { address, query, remove } = await create();
    const store = await openStore(address);
    return {
      store,
      address,
      query,
      dump: async () => {
        const tables = await query(tablesSql);
        return Object.fromEntries(await Promise.all(tables.map((table) => rowsOf(query, String(table.name)))));
      },
      dispose: async () => {
        await store.close();
        await remove();
      },
    };
  }
  return {
    name,
    openEmpty,
    open: async () => {
      const opened = await openEmpty();
      await opened.store.migrate();
      return opened;
    },
  };
}

async function rowsOf(query: OpenedStore["query"], table: string): Promise<[string, Row[]]> {
  const rows = await query(`select * from "${table}"`);
  const sorted = rows.map((row) => ({ row, text: JSON.stringify(row) })).sort((a, b) => (a.text < b.text ? -1 : 1));
  return [table, sorted.map(({ row }) => row)];
}

/** A path in a new folder. */
export async function sqliteFile(): Promise<{ path: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "dbdepot-test-"));
  return { path: join(folder, "dbdepot.sqlite"), remove: () => rm(folder, { recursive: true }) };
}

async function createSqlite(): Promise<Database> {
  const { path, remove } = await sqliteFile();
  return {
    address: { engine: "sqlite", path },
    query: async (sql) => {
      using database = new DatabaseSync(path);
      return database.prepare(sql).all();
    },
    remove,
  };
}

async function createPostgres(): Promise<Database> {
  const name = `dbdepot_test_${randomBytes(8).toString("hex")}`;
  const url = new URL(inject("postgresUrl"));
  await asSuperuser(`create database ${name}`);
  url.pathname = `/${name}`;
  const pool = new pg.Pool({ connectionString: url.href, max: 1 });
  // The pool's end does not wait for its connections: dropping the database may still find one.
  pool.on("error", () => {});
  return {
    address: { engine: "postgres", url: url.href },
    query: async (sql) => (await pool.query(sql)).rows,
    remove: async () => {
      await pool.end();
      await asSuperuser(`drop database ${name} with (force)`);
    },
  };
}

async function asSuperuser(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject("postgresUrl") });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}
