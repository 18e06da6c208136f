import { rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { engines, type OpenedStore, type TestEngine } from "../../../../../rigs/harness/service/engines.ts";
import type { Migration } from "../../../src/adapters/sql/connection.ts";
import { MIGRATIONS, migrate } from "../../../src/adapters/sql/migrate.ts";
import { openStore } from "../../../src/adapters/sql/open.ts";
import { openPostgres } from "../../../src/adapters/sql/postgres/engine.ts";
import { openSqlite } from "../../../src/adapters/sql/sqlite/engine.ts";
import { NO_LIMITS } from "../../../src/domain/limits/limits.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";
import { migrateToFuture } from "./newer-schema.ts";
import { runReplicas } from "./replicas.ts";

/** Returns all migrations, which are pending for an empty database. */
async function allMigrations({ store }: OpenedStore): Promise<string[]> {
  const names = await store.pendingMigrations();
  expect(names[0]).toBe("0001-foundation");
  expect(names).toEqual([...new Set(names)].sort());
  return names;
}

for (const engine of engines) {
  describe(`migrations on ${engine.name}`, () => {
    const stores = disposedStores(engine);

    it("bring an empty database up to date, and are applied only once", async () => {
      const opened = await stores.openEmpty();
      const { store } = opened;
      const all = await allMigrations(opened);
      expect(await store.isNew()).toBe(true);
      expect(await store.migrate()).toEqual(all);
      expect(await store.isNew()).toBe(false);
      expect(await store.pendingMigrations()).toEqual([]);
      expect(await store.migrate()).toEqual([]);
      expect(await store.organizations.list()).toEqual([]);
    });

    it("are not applied by listing the pending ones", async () => {
      const { store, dump } = await stores.openEmpty();
      await store.pendingMigrations();
      expect(await dump()).toEqual({});
    });

    it("keep existing rows when they run again", async () => {
      const { store, address, dump } = await stores.open();
      await store.change((tables) =>
        tables.organizations.insert({
          id: "1",
          name: "Acme",
          created: new Date(0),
          archived: null,
          externalId: null,
          limits: NO_LIMITS,
          linkRegion: null,
        }),
      );
      const before = await dump();
      const other = await openStore(address);
      expect(await other.migrate()).toEqual([]);
      await other.close();
      expect(await dump()).toEqual(before);
    });

    it("are applied once by several stores that start together", async () => {
      const opened = await stores.openEmpty();
      const { address, store } = opened;
      const all = await allMigrations(opened);
      const replicas = [store, ...(await Promise.all(Array.from({ length: 4 }, () => openStore(address))))];
      const applied = await Promise.all(replicas.map((replica) => replica.migrate()));
      expect(applied.flat()).toEqual(all);
      for (const replica of replicas) expect(await replica.organizations.list()).toEqual([]);
      await Promise.all(replicas.slice(1).map((replica) => replica.close()));
    });

    it("are applied once by several processes that start together", async () => {
      const { address, store } = await stores.openEmpty();
      const { store: fresh } = await stores.openEmpty();
      const applied = await runReplicas(address, 4, "migrate");
      expect(applied.flat()).toEqual(await fresh.pendingMigrations());
      expect(await store.pendingMigrations()).toEqual([]);
    });

    it("refuse a database that a newer version created with a one-line message, and leave it unchanged", async () => {
      const { store, query, dump } = await stores.open();
      await migrateToFuture(query);
      await query("update compatibility set compatible_with = '9999-from-the-future'");
      const before = await dump();
      for (const operation of [store.migrate, store.pendingMigrations, store.newerMigrations]) {
        const fault = await operation().catch((error) => error);
        expect(fault).toMatchObject({ name: "Fault", kind: "conflict" });
        expect(fault.message).toMatch(
          /^this database was created by a newer version of dbdepot \(it has 9999-from-the-future\)[^\n]*$/,
        );
      }
      expect(await dump()).toEqual(before);
    });

    it("refuse a newer database that lacks one of their own", async () => {
      const { store, query } = await stores.open();
      await migrateToFuture(query);
      await query("delete from migrations where name = '0005-one-attempts-table'");
      await expect(store.pendingMigrations()).rejects.toThrow(/^this database was created by a newer version/);
    });

    it("have nothing to do in a newer database on which this version can run", async () => {
      const { store, query, dump } = await stores.open();
      expect(await store.newerMigrations()).toEqual([]);
      await migrateToFuture(query);
      const before = await dump();
      expect(await store.pendingMigrations()).toEqual([]);
      expect(await store.migrate()).toEqual([]);
      expect(await store.newerMigrations()).toEqual(["9999-from-the-future"]);
      expect(await dump()).toEqual(before);
    });

    it("let older programs run until one of them removes something", async () => {
      const { address, store, query } = await stores.open();
      const compatible = async () => (await query("select compatible_with from compatibility"))[0]?.compatible_with;
      const initially = await compatible();
      const apply = async (migrations: readonly Migration[]) => {
        const engine = address.engine === "sqlite" ? openSqlite(address.path) : openPostgres(address.url);
        try {
          return await migrate(engine, migrations);
        } finally {
          await engine.close();
        }
      };
      const additive: Migration = { name: "9998-additive", up: async () => {} };
      const removing: Migration = { name: "9999-removing", compatibleWith: additive, up: async () => {} };
      expect(await apply([...MIGRATIONS, additive])).toEqual(["9998-additive"]);
      expect(await compatible()).toBe(initially);
      expect(await store.migrate()).toEqual([]);
      expect(await apply([...MIGRATIONS, additive, removing])).toEqual(["9999-removing"]);
      expect(await compatible()).toBe("9998-additive");
      expect(await apply([...MIGRATIONS, additive])).toEqual([]);
      await expect(store.migrate()).rejects.toThrow(/newer version of dbdepot \(it has 9998-additive, 9999-removing\)/);
    });

    it("change nothing if one of them fails, and succeed once the cause is fixed", async () => {
      const opened = await stores.openEmpty();
      const { store, query, dump } = opened;
      const all = await allMigrations(opened);
      await query("create table keys (id integer)");
      await expect(store.migrate()).rejects.toThrow(/already exists/);
      expect(await dump()).toEqual({ keys: [] });
      await query("drop table keys");
      expect(await store.migrate()).toEqual(all);
    });
  });
}

describe("a SQLite database", () => {
  it("is created in a directory that only its owner can read, with a write-ahead log", async () => {
    const folder = join(tmpdir(), `dbdepot-test-${newId(new Date())}`);
    const path = join(folder, "deep", "dbdepot.sqlite");
    const store = await openStore({ engine: "sqlite", path });
    try {
      await store.migrate();
      expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
      expect((await stat(`${path}-wal`)).isFile()).toBe(true);
    } finally {
      await store.close();
      await rm(folder, { recursive: true });
    }
  });

  it("fails every query if it cannot be opened, and can still be closed", async () => {
    const store = await openStore({ engine: "sqlite", path: tmpdir() });
    await expect(store.migrate()).rejects.toThrow(/unable to open/);
    await expect(store.pendingMigrations()).rejects.toThrow(/unable to open/);
    await store.close();
  });
});

describe("a shared PostgreSQL database", () => {
  const [, postgres] = engines;
  if (!postgres) throw new Error("no PostgreSQL engine is available");
  const stores = disposedStores(postgres);

  it("may contain a table named migrations in another schema", async () => {
    const opened = await stores.openEmpty();
    const { store, query } = opened;
    const all = await allMigrations(opened);
    await query("create schema storage");
    await query("create table storage.migrations (id integer)");
    expect(await store.pendingMigrations()).toEqual(all);
    expect(await store.migrate()).toEqual(all);
    expect(await store.pendingMigrations()).toEqual([]);
  });
});

/** Opens stores that are removed after each test. */
function disposedStores(engine: TestEngine): Pick<TestEngine, "open" | "openEmpty"> {
  const opened: OpenedStore[] = [];
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.dispose();
  });
  const register = async (opening: Promise<OpenedStore>) => {
    const store = await opening;
    opened.push(store);
    return store;
  };
  return { open: () => register(engine.open()), openEmpty: () => register(engine.openEmpty()) };
}
