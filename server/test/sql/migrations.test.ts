import { rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { newId } from "../../src/ids.ts";
import { openStore } from "../../src/sql/open.ts";
import { engines, type OpenedStore, type TestEngine } from "../engines.ts";
import { runReplicas } from "./replicas.ts";

/** What an empty database lacks: all that there are. */
async function allMigrations({ store }: OpenedStore): Promise<string[]> {
  const names = await store.pendingMigrations();
  expect(names[0]).toBe("0001-foundation");
  expect(names).toEqual([...new Set(names)].sort());
  return names;
}

for (const engine of engines) {
  describe(`migrations on ${engine.name}`, () => {
    const stores = disposedStores(engine);

    it("bring an empty database up to date, once", async () => {
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

    it("are only looked at, not made, by asking what is pending", async () => {
      const { store, dump } = await stores.openEmpty();
      await store.pendingMigrations();
      expect(await dump()).toEqual({});
    });

    it("keep what is there, run again from another process's store", async () => {
      const { store, address, dump } = await stores.open();
      await store.change((tables) => tables.organizations.insert({ id: "1", name: "Acme", created: new Date(0) }));
      const before = await dump();
      const other = await openStore(address);
      expect(await other.migrate()).toEqual([]);
      await other.close();
      expect(await dump()).toEqual(before);
    });

    it("are made once by several stores that start together", async () => {
      const opened = await stores.openEmpty();
      const { address, store } = opened;
      const all = await allMigrations(opened);
      const replicas = [store, ...(await Promise.all(Array.from({ length: 4 }, () => openStore(address))))];
      const applied = await Promise.all(replicas.map((replica) => replica.migrate()));
      expect(applied.flat()).toEqual(all);
      for (const replica of replicas) expect(await replica.organizations.list()).toEqual([]);
      await Promise.all(replicas.slice(1).map((replica) => replica.close()));
    });

    it("are made once by several processes that start together", async () => {
      const { address, store } = await stores.openEmpty();
      const { store: fresh } = await stores.openEmpty();
      const applied = await runReplicas(address, 4, "migrate");
      expect(applied.flat()).toEqual(await fresh.pendingMigrations());
      expect(await store.pendingMigrations()).toEqual([]);
    });

    it("refuse the database of a newer dbdepot, in one line that says so, and leave it alone", async () => {
      const { store, query, dump } = await stores.open();
      await query("insert into migrations (name, applied) values ('9999-from-the-future', '2099-01-01T00:00:00.000Z')");
      const before = await dump();
      for (const look of [store.migrate, store.pendingMigrations]) {
        const fault = await look().catch((error) => error);
        expect(fault).toMatchObject({ name: "Fault", kind: "conflict" });
        expect(fault.message).toMatch(/^the database is of a newer dbdepot \(it has 9999-from-the-future\)[^\n]*$/);
      }
      expect(await dump()).toEqual(before);
    });

    it("leave nothing behind when one of them fails, and go well when the cause is gone", async () => {
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
  it("makes its folder, for its owner only, and writes ahead", async () => {
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

  it("that cannot be opened fails each question, and can still be closed", async () => {
    const store = await openStore({ engine: "sqlite", path: tmpdir() });
    await expect(store.migrate()).rejects.toThrow(/unable to open/);
    await expect(store.pendingMigrations()).rejects.toThrow(/unable to open/);
    await store.close();
  });
});

describe("a Postgres database that is shared", () => {
  const [, postgres] = engines;
  if (!postgres) throw new Error("there is no second engine");
  const stores = disposedStores(postgres);

  it("may hold other people's migrations in other schemas", async () => {
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

/** The engine's stores, each removed when its test is over. */
function disposedStores(engine: TestEngine): Pick<TestEngine, "open" | "openEmpty"> {
  const opened: OpenedStore[] = [];
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.dispose();
  });
  const keep = async (opening: Promise<OpenedStore>) => {
    const store = await opening;
    opened.push(store);
    return store;
  };
  return { open: () => keep(engine.open()), openEmpty: () => keep(engine.openEmpty()) };
}
