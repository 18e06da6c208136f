import { setImmediate as nextTurn } from "node:timers/promises";
import { CompiledQuery } from "kysely";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { SqliteConnection } from "../../../src/sql/sqlite/connection.ts";
import { SqlitePool } from "../../../src/sql/sqlite/pool.ts";
import { day } from "../../licences/terms.ts";
import { openHistory } from "./history-process.ts";
import { nthAttemptAt, toValues } from "./plain-history.ts";

describe("SQLite's connections", () => {
  let pool: SqlitePool;
  let written: number;

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    written = 0;
    const { path } = await openHistory();
    pool = new SqlitePool(path);
    onTestFinished(() => pool.destroy());
  });

  const append = () => {
    written += 1;
    const attempt = nthAttemptAt(day(1), written, { organizationId: "acme" });
    return pool.askHistory({ attemptsJson: JSON.stringify([toValues(attempt)]) });
  };
  const countSeen = async () => {
    const connection = await pool.acquireConnection();
    const { rows } = await connection.executeQuery<{ count: number }>(
      CompiledQuery.raw("select count(*) as count from attempts"),
    );
    await pool.releaseConnection(connection);
    return { connection, count: rows[0]?.count };
  };

  /** So often an attempt is to be written while somebody has a connection for so long. */
  const holdUp = async (times: number, ms: number) => {
    for (let i = 0; i < times; i += 1) {
      const connection = await pool.acquireConnection();
      const appended = append();
      vi.advanceTimersByTime(ms);
      await pool.releaseConnection(connection);
      await appended;
    }
  };

  it("are one as long as the history is hardly held up", async () => {
    const { connection: only } = await countSeen();
    await holdUp(100, 1);
    await holdUp(10, 1000);
    await Promise.all(Array.from({ length: 100 }, append));
    expect((await countSeen()).connection).toBe(only);
  });

  it("are one for two others at once, as long as neither keeps it for long", async () => {
    const { connection: only } = await countSeen();
    for (const { connection } of await Promise.all([countSeen(), countSeen()])) expect(connection).toBe(only);
    const kept = await pool.acquireConnection();
    expect(kept).toBe(only);
    expect((await countSeen()).connection).not.toBe(only);
    await pool.releaseConnection(kept);
  });

  it("are two once it was held up often", async () => {
    const { connection: first } = await countSeen();
    await holdUp(30, 10);
    expect((await countSeen()).connection).not.toBe(first);
  });

  it("are two at once when the history is to be kept apart", async () => {
    const { connection: first } = await countSeen();
    pool.keepHistoryApart();
    expect((await countSeen()).connection).not.toBe(first);
  });

  it("are three at most, and whoever waits gets the first that is free", async () => {
    for (const inOrder of [<T>(all: T[]) => all, <T>(all: T[]) => all.toReversed()]) {
      const free = inOrder(await Promise.all([1, 2, 3].map(() => pool.acquireConnection())));
      const late = free.map(() => pool.acquireConnection());
      for (const connection of free) await pool.releaseConnection(connection);
      const got = await Promise.all(late);
      expect(new Set(got)).toEqual(new Set(free));
      for (const connection of got) await pool.releaseConnection(connection);
    }
  });

  it("belong to one at a time, and nobody waits for ever", async () => {
    const had = new Set<SqliteConnection>();
    let most = 0;
    const use = async (pauses: number) => {
      for (let i = 0; i < pauses; i += 1) await nextTurn();
      const connection = await pool.acquireConnection();
      expect(had).not.toContain(connection);
      most = Math.max(most, had.add(connection).size);
      for (let i = 0; i < pauses % 7; i += 1) await nextTurn();
      had.delete(connection);
      await pool.releaseConnection(connection);
    };
    const started = await Promise.all([1, 2, 3].map(() => pool.acquireConnection()));
    for (const connection of started) await pool.releaseConnection(connection);
    // Waves, each with an end: nobody comes by later who would help those that were forgotten.
    for (let wave = 0; wave < 100; wave += 1) {
      await Promise.all(Array.from({ length: 20 }, (_, i) => use((i * i + wave) % 11)));
    }
    expect(most).toBe(3);
  });

  it("let no attempt into others' transactions while those wait for each other", async () => {
    const appended: Promise<unknown>[] = [];
    const undo = async () => {
      const connection = await pool.acquireConnection();
      appended.push(append());
      await pool.beginTransaction(connection, {});
      appended.push(append());
      await pool.rollbackTransaction(connection);
      appended.push(append());
      await pool.releaseConnection(connection);
      appended.push(append());
    };
    for (let i = 0; i < 10; i += 1) await Promise.all([undo(), append(), undo(), append()]);
    await Promise.all(appended);
    expect((await countSeen()).count).toBe(written);
  });

  it("let no attempt into others' transactions, however often they are lent", async () => {
    const appended: Promise<unknown>[] = [];
    let acquired = pool.acquireConnection();
    for (let i = 0; i < 10; i += 1) {
      const connection = await acquired;
      await pool.beginTransaction(connection, {});
      appended.push(append(), append());
      await pool.rollbackTransaction(connection);
      const released = pool.releaseConnection(connection);
      // Before those that wait have noticed.
      acquired = pool.acquireConnection();
      await released;
    }
    await pool.releaseConnection(await acquired);
    await Promise.all(appended);
    expect((await countSeen()).count).toBe(20);
  });
});
