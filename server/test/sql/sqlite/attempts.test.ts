import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Attempt } from "../../../src/downloads/attempt.ts";
import type { AttemptFilter } from "../../../src/downloads/store.ts";
import { openStore } from "../../../src/sql/open.ts";
import { SqliteAttempts } from "../../../src/sql/sqlite/attempts.ts";
import { openSqlite } from "../../../src/sql/sqlite/engine.ts";
import { SqliteLog } from "../../../src/sql/sqlite/log.ts";
import { SqlitePool } from "../../../src/sql/sqlite/pool.ts";
import { engines, type OpenedStore } from "../../engines.ts";
import { day } from "../../licences/terms.ts";
import { runReplicas } from "../replicas.ts";
import { ORGANIZATIONS, openHistory } from "./history-process.ts";
import { nthAttemptAt, PlainHistory, seeded } from "./plain-history.ts";

async function opened(how: "open" | "openEmpty" = "open"): Promise<OpenedStore & { path: string }> {
  const [sqlite] = engines;
  const store = await sqlite?.[how]();
  if (store?.address.engine !== "sqlite") throw new Error("SQLite is not the first engine");
  onTestFinished(() => store.dispose());
  return { ...store, path: store.address.path };
}

/** In no order, with all marks there are; some are nobody's. */
function attempts(count: number, from = 0): Attempt[] {
  const random = seeded(from + 1);
  const some = <T>(of: readonly T[]) => of[random(of.length)] as T;
  return Array.from({ length: count }, (_, i) =>
    nthAttemptAt(day(random(90)), from + i, {
      organizationId: some([...ORGANIZATIONS, null]),
      keyId: some(["key 1", "key 2", null]),
      outcome: some(["ok", "denied", "expired"]),
      api: some(["v1", "v2"]),
    }),
  );
}

/** With the organization's name alone the history's own thread answers, with more another connection. */
const MARKS: Partial<AttemptFilter>[] = [
  {},
  { keyId: "key 1" },
  { outcome: "denied" },
  { api: "v1" },
  { since: day(20) },
  { until: day(70) },
  { since: day(0) },
  { keyId: "key 1", outcome: "ok", api: "v2", since: day(20), until: day(70) },
];

const SOON = { timeout: 10_000, interval: 1 };

async function through({ query }: OpenedStore): Promise<number> {
  const [row] = await query("select through from attempts_filed");
  return Number(row?.through);
}

async function countFiled({ query }: OpenedStore): Promise<number> {
  const [row] = await query("select count(*) as count from attempts_by_organization");
  return Number(row?.count);
}

/** What is said to be filed is, and nothing that is not there. */
async function expectFiledTruly({ query }: OpenedStore): Promise<void> {
  const attempts = "select organization_id, id from attempts where organization_id is not null";
  const filed = "select organization_id, id from attempts_by_organization";
  expect(await query(`${attempts} and number <= (select through from attempts_filed) except ${filed}`)).toEqual([]);
  expect(await query(`${filed} except ${attempts}`)).toEqual([]);
}

describe("a history that nobody adds to any more", () => {
  it("is filed after some seconds, though a round is not full", async () => {
    const store = await opened();
    for (let i = 0; i < 200; i += 1) {
      await store.query(`insert into organizations (id, name, created, revision) values ('${i}', 'Acme ${i}', '', 0)`);
    }
    // A round is 2,000 then.
    await store.store.attempts.append(attempts(1200));
    const began = performance.now();
    await expect.poll(() => through(store), { timeout: 20_000, interval: 100 }).toBe(1200);
    expect(performance.now() - began).toBeGreaterThan(2000);
    await store.store.attempts.append(attempts(10, 1200));
    expect(await through(store)).toBe(1200);
  }, 30_000);
});

describe("SQLite's attempts, while they are filed", () => {
  it("are listed alike by organization alone and by other marks too", async () => {
    const sqlite = await opened();
    const { store } = sqlite;
    const plain = new PlainHistory();
    const expectLists = async () => {
      const before = plain.ids[Math.floor(plain.ids.length / 2)] ?? "";
      const filters = [...ORGANIZATIONS, undefined].flatMap((owner) =>
        MARKS.flatMap((marks) =>
          [{ limit: 9999 }, { limit: 20 }, { limit: 20, before }].map(
            (place): AttemptFilter => ({ ...(owner !== undefined && { organizationId: owner }), ...marks, ...place }),
          ),
        ),
      );
      const lists = await Promise.all(filters.map((filter) => store.attempts.list(filter)));
      for (const [i, filter] of filters.entries()) {
        expect(
          lists[i]?.map(({ id }) => id),
          JSON.stringify(filter),
        ).toEqual(plain.list(filter).map(({ id }) => id));
      }
    };
    for (let n = 0; n < 3200; n += 800) {
      const group = attempts(800, n);
      await store.attempts.append(group);
      plain.append(group);
      await expectLists();
    }
    await vi.waitFor(async () => expect(await through(sqlite)).toBeGreaterThanOrEqual(3000), SOON);
    await expectLists();
    await expectFiledTruly(sqlite);
    const all = { organizationId: "acme", limit: 9999 };
    expect(await store.attempts.list(all)).toEqual(plain.list(all));
    expect(await store.attempts.list({ ...all, since: day(0) })).toEqual(plain.list(all));
  });

  it("are never missed by whoever asks at that moment", async () => {
    const sqlite = await opened();
    const { attempts: history } = sqlite.store;
    const own = Array.from({ length: 3000 }, (_, n) => nthAttemptAt(day(1), n, { organizationId: "acme" }));
    await history.append(own);
    for (let n = 0; (await through(sqlite)) < 3000; n += 1) {
      const filter = { organizationId: "acme", limit: 9999 };
      const lists = await Promise.all([history.list(filter), history.list({ ...filter, since: day(0) })]);
      expect(lists.map(({ length }) => length)).toEqual([3000, 3000]);
      await history.append([nthAttemptAt(day(2), n)]);
    }
  });

  it.each([1, 2, 3])("are not missed by a list that has asked %i of its questions when all are filed", async (nth) => {
    const { path, plain, start } = await openHistory();
    const filer = start();
    filer.append(attempts(40));
    let asked = 0;
    const pool = new SqlitePool(path);
    const { queries, close } = openSqlite(path);
    const watched = queries.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        asked += 1;
        if (asked === nth) filer.workThrough();
        return result;
      },
    });
    const filter = { organizationId: "acme", since: day(0), limit: 99 };
    expect(await new SqliteAttempts(pool, watched, { grow: () => {} }).list(filter)).toEqual(plain.list(filter));
    filer.expectAllFiled();
    await close();
  });

  it("of several processes are listed completely by each of them", async () => {
    const sqlite = await opened();
    const told = await runReplicas(sqlite.address, 3, "attempt", "1200", "3600");
    const stored = await sqlite.query("select id from attempts where organization_id = 'acme' order by id desc");
    const ids = stored.map(({ id }) => id);
    expect(ids).toHaveLength(3600);
    for (const each of told) expect(each).toEqual(ids);
    for (const marks of [{}, { since: day(-900) }]) {
      const list = await sqlite.store.attempts.list({ organizationId: "acme", limit: 9999, ...marks });
      expect(list.map(({ id }) => id)).toEqual(ids);
    }
    await sqlite.store.attempts.append(attempts(1000));
    await vi.waitFor(async () => expect(await through(sqlite)).toBeGreaterThan(3600), SOON);
    await expectFiledTruly(sqlite);
  });

  it("are whole when the store is closed in the middle, and filed by the next one", async () => {
    const sqlite = await opened();
    const plain = new PlainHistory();
    for (let n = 0; n < 6000; n += 2000) {
      const group = attempts(2000, n);
      plain.append(group);
      const filed = await countFiled(sqlite);
      const store = await openStore(sqlite.address);
      await store.attempts.append(group);
      await vi.waitFor(async () => expect(await countFiled(sqlite)).toBeGreaterThan(filed), SOON);
      await store.close();
      await expectFiledTruly(sqlite);
      for (const organizationId of ORGANIZATIONS) {
        const filter = { organizationId, limit: 9999 };
        expect(await sqlite.store.attempts.list(filter)).toEqual(plain.list(filter));
        expect(await sqlite.store.attempts.list({ ...filter, since: day(0) })).toEqual(plain.list(filter));
      }
    }
    await sqlite.store.attempts.append(attempts(1000, 6000));
    await vi.waitFor(async () => expect(await through(sqlite)).toBe(7000), SOON);
    await expectFiledTruly(sqlite);
  });

  it("do not keep a process from ending, nor make it complain", async () => {
    const sqlite = await opened();
    await runReplicas(sqlite.address, 1, "leave", "3000");
    await expectFiledTruly(sqlite);
    expect(await sqlite.store.attempts.list({ organizationId: "acme", limit: 9999 })).toHaveLength(3000);
  });
});

describe("SQLite's attempts", () => {
  it("that were asked for too early are there once the database is up to date", async () => {
    const { store } = await opened("openEmpty");
    const page = { organizationId: "acme", limit: 9 };
    await expect(store.attempts.list(page)).rejects.toThrow(/no such table/);
    await store.migrate();
    expect(await store.attempts.list(page)).toEqual([]);
    const first = nthAttemptAt(day(1), 1, { organizationId: "acme" });
    await store.attempts.append([first]);
    expect(await store.attempts.list(page)).toEqual([first]);
  });

  it("are written on when the log cannot be moved", async () => {
    const { path, query } = await opened();
    const { queries } = openSqlite(path);
    const pool = new SqlitePool(path);
    const log = new SqliteLog(path, queries, pool);
    const history = new SqliteAttempts(pool, queries, log);
    await history.list({ limit: 1 });
    // Stands for a full disk: whatever the other connections are asked fails. A rejection would end the process.
    await queries.destroy();
    const many = Array.from({ length: 50_000 }, (_, n) => nthAttemptAt(day(1), n));
    await history.append(many);
    await history.append([nthAttemptAt(day(2), 1)]);
    await log.atRest();
    await pool.destroy();
    await log.close();
    expect(await query("select count(*) as count from attempts")).toEqual([{ count: 50_001 }]);
  });
});
