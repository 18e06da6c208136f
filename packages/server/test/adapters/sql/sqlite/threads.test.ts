import { once } from "node:events";
import { DatabaseSync } from "node:sqlite";
import type { Worker } from "node:worker_threads";
import { sql } from "kysely";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { sqliteFile } from "../../../../../../rigs/harness/service/engines.ts";
import type { Engine } from "../../../../src/adapters/sql/connection.ts";
import { openSqlite } from "../../../../src/adapters/sql/sqlite/engine.ts";

describe("SQLite threads", () => {
  let path: string;
  let engine: Engine;
  let started: Worker[];

  beforeEach(async () => {
    started = [];
    const onWorker = (worker: Worker) => void started.push(worker);
    process.on("worker", onWorker);
    const file = await sqliteFile();
    path = file.path;
    engine = openSqlite(path);
    await sql`create table organizations (id text)`.execute(engine.queries);
    await ids();
    onTestFinished(async () => {
      process.off("worker", onWorker);
      await engine.close();
      await file.remove();
    });
  });

  const insert = (id: string, db = engine.queries) => sql`insert into organizations values (${id})`.execute(db);
  const ids = async (db = engine.queries) =>
    (await db.selectFrom("organizations").select("id").orderBy("id").execute()).map(({ id }) => id);
  const writer = () => started[0] as Worker;
  const reader = () => started[1] as Worker;

  async function kill(thread: Worker): Promise<void> {
    const exited = once(thread, "exit");
    await thread.terminate();
    await exited;
  }

  it("are exactly two, whatever runs at the same time", async () => {
    await Promise.all(Array.from({ length: 30 }, (_, i) => (i % 2 ? insert(String(i)) : ids())));
    await engine.queries.transaction().execute((transaction) => Promise.all([ids(), insert("last", transaction)]));
    expect(started).toHaveLength(2);
  });

  it("start with the first query that needs them", async () => {
    const other = openSqlite(path);
    expect(started).toHaveLength(2);
    await ids(other.queries);
    expect(await other.hasTable("organizations")).toBe(true);
    expect(started).toHaveLength(3);
    await insert("1", other.queries);
    expect(started).toHaveLength(4);
    await other.close();
  });

  it("show a write to the read that follows it", async () => {
    for (let i = 100; i < 300; i += 1) {
      await insert(String(i));
      expect((await ids()).at(-1)).toBe(String(i));
    }
  });

  it("read while a transaction is open, without seeing its rows", async () => {
    await engine.queries.transaction().execute(async (transaction) => {
      await insert("1", transaction);
      expect(await ids(transaction)).toEqual(["1"]);
      expect(await ids()).toEqual([]);
    });
    expect(await ids()).toEqual(["1"]);
  });

  it("keep other writes out of an open transaction", async () => {
    const others: Promise<unknown>[] = [];
    const rolledBack = engine.queries.transaction().execute(async (transaction) => {
      others.push(insert("other 1"));
      await insert("own", transaction);
      others.push(insert("other 2"));
      throw new Error("changed my mind");
    });
    await expect(rolledBack).rejects.toThrow("changed my mind");
    await Promise.all(others);
    expect(await ids()).toEqual(["other 1", "other 2"]);
  });

  it("give a read-only transaction one snapshot, and the next read the newest rows", async () => {
    const readOnly = engine.queries.transaction().setAccessMode("read only");
    await readOnly.execute(async (transaction) => {
      expect(await ids(transaction)).toEqual([]);
      await insert("1");
      expect(await ids(transaction)).toEqual([]);
    });
    expect(await ids()).toEqual(["1"]);
  });

  it("reject a write in a read-only transaction", async () => {
    const readOnly = engine.queries.transaction().setAccessMode("read only");
    await expect(readOnly.execute((transaction) => insert("1", transaction))).rejects.toThrow(/readonly/);
    expect(await ids()).toEqual([]);
  });

  it.each([
    ["writer", writer],
    ["reader", reader],
  ])("are replaced after the %s dies", async (_, thread) => {
    await kill(thread());
    await insert("1");
    expect(await ids()).toEqual(["1"]);
    expect(started).toHaveLength(3);
  });

  it("fail the pending query of a thread that dies, and run the queued ones on its replacement", async () => {
    using other = new DatabaseSync(path);
    other.exec("begin immediate");
    // The writer now waits for the lock.
    const pending = expect(insert("pending")).rejects.toThrow(/SQLite thread/);
    const queued = insert("queued");
    await new Promise(setImmediate);
    const killed = kill(writer());
    other.exec("rollback");
    await Promise.all([killed, pending, queued]);
    expect(await ids()).toContain("queued");
    expect(started).toHaveLength(3);
  });

  it("fail a transaction whose thread dies, and never run the rest of it on the replacement", async () => {
    const failing = engine.queries.transaction().execute(async (transaction) => {
      await insert("1", transaction);
      await kill(writer());
      await expect(insert("2", transaction)).rejects.toThrow(/SQLite thread/);
      return insert("3", transaction);
    });
    await expect(failing).rejects.toThrow(/SQLite thread/);
    expect(await ids()).toEqual([]);
    await insert("4");
    expect(await ids()).toEqual(["4"]);
  });

  it("fail a transaction whose thread dies just before the commit", async () => {
    const failing = engine.queries.transaction().execute(async (transaction) => {
      await insert("1", transaction);
      await kill(writer());
    });
    await expect(failing).rejects.toThrow(/SQLite thread/);
    expect(await ids()).toEqual([]);
  });

  it("report the original error when SQLite has already rolled the transaction back", async () => {
    const failing = engine.queries.transaction().execute(async (transaction) => {
      await insert("1", transaction);
      // SQLite does this on its own when the disk is full.
      await sql`rollback`.execute(transaction);
      throw new Error("disk full");
    });
    await expect(failing).rejects.toThrow("disk full");
    await insert("2");
    expect(await ids()).toEqual(["2"]);
  });

  it("do not start again once the database is closed", async () => {
    await engine.close();
    await expect(ids()).rejects.toThrow("closed");
    await expect(insert("1")).rejects.toThrow("closed");
    expect(started).toHaveLength(2);
  });
});
