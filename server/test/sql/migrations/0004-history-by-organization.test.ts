import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Attempt } from "../../../src/downloads/attempt.ts";
import { ATTEMPT_COLUMN_NAMES } from "../../../src/sql/attempt-columns.ts";
import { toRow } from "../../../src/sql/attempts.ts";
import { foundation } from "../../../src/sql/migrations/0001-foundation.ts";
import { publishing } from "../../../src/sql/migrations/0002-publishing.ts";
import { keyCreations } from "../../../src/sql/migrations/0003-key-creations.ts";
import { openSqlite } from "../../../src/sql/sqlite/engine.ts";
import { engines } from "../../engines.ts";
import { day } from "../../licences/terms.ts";
import { ORGANIZATIONS } from "../sqlite/history-process.ts";
import { nthAttemptAt, PlainHistory, seeded } from "../sqlite/plain-history.ts";

const NAMES = ATTEMPT_COLUMN_NAMES.join(", ");

/** A database as dbdepot left it before, with these attempts. */
async function olderDatabase(attempts: readonly Attempt[]) {
  const [sqlite] = engines;
  const opened = await sqlite?.openEmpty();
  if (opened?.address.engine !== "sqlite") throw new Error("SQLite is not the first engine");
  onTestFinished(() => opened.dispose());
  const older = openSqlite(opened.address.path);
  await older.queries.transaction().execute(async (db) => {
    await sql`create table migrations (name text primary key, applied text not null)`.execute(db);
    for (const { name, up } of [foundation, publishing, keyCreations]) {
      await up(db, older);
      await db.insertInto("migrations").values({ name, applied: "2026-12-31T00:00:00.000Z" }).execute();
    }
    if (attempts.length > 0) await db.insertInto("attempts").values(attempts.map(toRow)).execute();
  });
  await older.close();
  const plain = new PlainHistory();
  plain.append(attempts);
  return { ...opened, plain };
}

/** In no order; some are nobody's. */
function olderAttempts(count: number): Attempt[] {
  const random = seeded(4);
  return Array.from({ length: count }, (_, n) =>
    nthAttemptAt(day(random(90)), n, {
      organizationId: [...ORGANIZATIONS, null][random(4)] ?? null,
      outcome: n % 3 ? "ok" : "denied",
      bytes: n % 3 ? Number.MAX_SAFE_INTEGER : null,
      userAgent: n % 2 ? "ünï 'quoted' 🚀 \\ %" : null,
    }),
  );
}

describe("the history of an older SQLite database", () => {
  it("keeps every attempt, letter by letter, numbered in the order of their ids", async () => {
    const { store, query } = await olderDatabase(olderAttempts(500));
    const before = await query(`select ${NAMES} from attempts order by id`);
    expect((await store.pendingMigrations())[0]).toBe("0004-history-by-organization");
    await store.migrate();
    expect(await query(`select ${NAMES} from attempts order by number`)).toEqual(before);
    expect(await query("select min(number) as first, max(number) as last from attempts")).toEqual([
      { first: 1, last: 500 },
    ]);
  });

  it("lies by organization afterwards, all of it, without nobody's", async () => {
    const { store, query } = await olderDatabase(olderAttempts(500));
    const order = "order by organization_id, id";
    const before = await query(`select ${NAMES} from attempts where organization_id is not null ${order}`);
    await store.migrate();
    expect(await query(`select ${NAMES} from attempts_by_organization ${order}`)).toEqual(before);
    expect(await query("select through from attempts_filed")).toEqual([{ through: 500 }]);
  });

  it("leaves nothing of the old table, nor its index", async () => {
    const { store, query } = await olderDatabase(olderAttempts(5));
    const names = async () => {
      const rows = await query("select name from sqlite_master where tbl_name like 'attempts%' and sql is not null");
      return rows.map(({ name }) => name).sort();
    };
    expect(await names()).toEqual(["attempts", "attempts_organization"]);
    await store.migrate();
    expect(await names()).toEqual(["attempts", "attempts_by_organization", "attempts_filed"]);
  });

  it("is listed as before, page by page and by every mark, and goes on", async () => {
    const { store, plain, query } = await olderDatabase(olderAttempts(500));
    await store.migrate();
    const late = [nthAttemptAt(day(-5), 7, { organizationId: "acme" }), nthAttemptAt(day(99), 8)];
    await store.attempts.append([...late, ...olderAttempts(3)]);
    plain.append(late);
    const before = plain.ids[200] ?? "";
    for (const owner of [...ORGANIZATIONS, undefined]) {
      for (const mark of [{}, { outcome: "denied" as const }, { since: day(30), until: day(60) }]) {
        for (const place of [{ limit: 1000 }, { limit: 30 }, { limit: 30, before }]) {
          const filter = { ...(owner !== undefined && { organizationId: owner }), ...mark, ...place };
          expect(await store.attempts.list(filter), JSON.stringify(filter)).toEqual(plain.list(filter));
        }
      }
    }
    const [newest] = await query("select number from attempts order by number desc limit 1");
    expect(newest?.number).toBe(502);
  });

  it("loses its oldest to the retention, from both tables", async () => {
    const { store, plain } = await olderDatabase(olderAttempts(300));
    await store.migrate();
    for (const from of [plain, store.attempts]) expect(await from.removeBefore(day(45), 100)).toBe(100);
    for (const organizationId of ORGANIZATIONS) {
      const page = { organizationId, limit: 1000 };
      expect(await store.attempts.list(page)).toEqual(plain.list(page));
    }
    expect(await store.attempts.list({ limit: 1000 })).toEqual(plain.list({ limit: 1000 }));
  });

  it("can be empty", async () => {
    const { store, query } = await olderDatabase([]);
    await store.migrate();
    expect(await query("select through from attempts_filed")).toEqual([{ through: 0 }]);
    const first = nthAttemptAt(day(1), 1, { organizationId: "acme" });
    expect(await store.attempts.list({ organizationId: "acme", limit: 9 })).toEqual([]);
    await store.attempts.append([first]);
    expect(await store.attempts.list({ organizationId: "acme", limit: 9 })).toEqual([first]);
  });

  it("can be nobody's alone", async () => {
    const { store, plain, query } = await olderDatabase([1, 2, 3].map((n) => nthAttemptAt(day(n), n)));
    await store.migrate();
    expect(await query("select count(*) as filed from attempts_by_organization")).toEqual([{ filed: 0 }]);
    expect(await store.attempts.list({ limit: 9 })).toEqual(plain.list({ limit: 9 }));
  });
});
