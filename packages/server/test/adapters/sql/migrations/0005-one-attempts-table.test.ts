import { readFile, writeFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { sqliteFile } from "../../../../../../rigs/harness/service/engines.ts";
import { toRow } from "../../../../src/adapters/sql/attempts.ts";
import type { Migration } from "../../../../src/adapters/sql/connection.ts";
import { foundation } from "../../../../src/adapters/sql/migrations/0001-foundation.ts";
import { publishing } from "../../../../src/adapters/sql/migrations/0002-publishing.ts";
import { keyCreations } from "../../../../src/adapters/sql/migrations/0003-key-creations.ts";
import { historyByOrganization } from "../../../../src/adapters/sql/migrations/0004-history-by-organization.ts";
import { openStore } from "../../../../src/adapters/sql/open.ts";
import { openSqlite } from "../../../../src/adapters/sql/sqlite/engine.ts";
import type { Attempt } from "../../../../src/domain/downloads/attempt.ts";
import { day } from "../../../domain/licences/terms.ts";
import { attempt } from "../samples.ts";

const COLUMNS = Object.keys(earlierRow(attempt())).join(", ");
const RELEASED = [foundation, publishing, keyCreations, historyByOrganization];
const FILED = 40;

/** Attempts of two organizations and of unknown keys, oldest first, with every kind of value. */
function attempts(count: number): Attempt[] {
  return Array.from({ length: count }, (_, n) =>
    attempt({
      created: day(n),
      organizationId: ["acme", "globex", null][n % 3] ?? null,
      outcome: n % 2 ? "ok" : "denied",
      bytes: n % 2 ? Number.MAX_SAFE_INTEGER : null,
      userAgent: n % 4 ? "ünï 'quoted' 🚀 \\ %" : null,
    }),
  );
}

/** Removes the columns of later versions. */
function earlierRow(of: Attempt) {
  const { open: _, sample: __, patch: ___, sent_bytes: ____, from_start: _____, ...row } = toRow(of);
  return row;
}

function newestFirst(attempts: readonly Attempt[], organizationId?: string): Attempt[] {
  return attempts
    .filter((each) => organizationId === undefined || each.organizationId === organizationId)
    .toSorted((one, other) => (one.id < other.id ? 1 : -1));
}

/** Database files with only the first migrations, by the number of migrations. */
const schemas = new Map<number, Promise<Buffer>>();

async function createSchema(migrations: readonly Migration[]): Promise<Buffer> {
  const { path, remove } = await sqliteFile();
  const engine = openSqlite(path);
  await engine.queries.transaction().execute(async (transaction) => {
    await sql`create table migrations (name text primary key, applied text not null)`.execute(transaction);
    for (const { name, up } of migrations) {
      await up(transaction, engine);
      await transaction.insertInto("migrations").values({ name, applied: "2026-12-31T00:00:00.000Z" }).execute();
    }
  });
  await engine.close();
  const file = await readFile(path);
  await remove();
  return file;
}

/** Creates a database with the first migrations, in which `fill` stores the history as that version did. */
async function databaseWith(count: number, fill: (database: DatabaseSync) => void) {
  const schema = schemas.get(count) ?? createSchema(RELEASED.slice(0, count));
  schemas.set(count, schema);
  const { path, remove } = await sqliteFile();
  await writeFile(path, await schema);
  const database = new DatabaseSync(path);
  fill(database);
  const store = await openStore({ engine: "sqlite", path });
  onTestFinished(async () => {
    database.close();
    await store.close();
    await remove();
  });
  return { store, database, path };
}

function insert(database: DatabaseSync, table: string, attempts: readonly Attempt[]): void {
  for (const each of attempts) {
    const values = Object.values(earlierRow(each));
    const placeholders = values.map(() => "?").join(", ");
    database.prepare(`insert or ignore into ${table} (${COLUMNS}) values (${placeholders})`).run(...values);
  }
}

/** Creates a database as 0004 left it: older attempts are copied by organization, the newest are not yet. */
function withFiled(all: readonly Attempt[]) {
  return databaseWith(4, (database) => {
    insert(database, "attempts", all);
    const filed = all.slice(0, FILED).filter(({ organizationId }) => organizationId !== null);
    insert(database, "attempts_by_organization", filed);
    database.exec(`update attempts_filed set through = ${FILED}`);
  });
}

describe("migration 0005 on SQLite", () => {
  it.each([1, 2, 3])("keeps the history of a database with migrations up to 000%i", async (count) => {
    const all = attempts(60);
    const { store } = await databaseWith(count, (database) => insert(database, "attempts", all));
    expect(await store.migrate()).toContain("0005-one-attempts-table");
    expect(await store.attempts.list({ limit: 100 })).toEqual(newestFirst(all));
  });

  it("keeps every attempt once, copied or not", async () => {
    const all = attempts(60);
    const { store } = await withFiled(all);
    expect(await store.migrate()).toContain("0005-one-attempts-table");
    expect(await store.attempts.list({ limit: 100 })).toEqual(newestFirst(all));
    for (const organizationId of ["acme", "globex"]) {
      const own = await store.attempts.list({ organizationId, limit: 100 });
      expect(own).toEqual(newestFirst(all, organizationId));
    }
  });

  it("keeps an attempt if only its copy exists", async () => {
    const all = attempts(60);
    const { store, database } = await withFiled(all);
    database.prepare("delete from attempts where id = ?").run(all[0]?.id ?? "");
    await store.migrate();
    expect(await store.attempts.list({ limit: 100 })).toEqual(newestFirst(all));
  });

  it("stores an attempt that is replayed after it only once", async () => {
    const all = attempts(60);
    const { store } = await withFiled(all);
    await store.migrate();
    await store.attempts.append(all);
    expect(await store.attempts.list({ limit: 100 })).toEqual(newestFirst(all));
  });

  it("finds an organization's attempts through an index", async () => {
    const { store, path } = await withFiled(attempts(60));
    await store.migrate();
    using database = new DatabaseSync(path);
    const plan = database
      .prepare(
        "explain query plan select * from attempts where organization_id = ? and id < ? order by id desc limit 9",
      )
      .all();
    expect(plan).toEqual([expect.objectContaining({ detail: expect.stringContaining("attempts_organization") })]);
  });

  it("changes nothing if it fails", async () => {
    const { store, database } = await withFiled(attempts(60));
    const schema = () => database.prepare("select type, name, sql from sqlite_master").all();
    // Takes the name of the index.
    database.exec("create table attempts_organization (id text)");
    const before = schema();
    await expect(store.migrate()).rejects.toThrow(/already/);
    expect(schema()).toEqual(before);
    database.exec("drop table attempts_organization");
    await store.migrate();
    expect(await store.attempts.list({ limit: 100 })).toHaveLength(60);
  });

  describe("while a server of the previous version is running", () => {
    /** The statements that the old server prepared before the migration. */
    function statementsOf(database: DatabaseSync) {
      const placeholders = COLUMNS.split(",").map(() => "?");
      const prepare = (text: string) => database.prepare(text);
      return {
        append: prepare(`insert into attempts (${COLUMNS}) values (${placeholders}) on conflict (id) do nothing`),
        newest: prepare("select coalesce(max(number), 0) as newest from attempts"),
        file: prepare(`insert or ignore into attempts_by_organization (${COLUMNS})
          select ${COLUMNS.replaceAll(/\w+/g, "attempts.$&")} from json_each(?) as some cross join attempts on attempts.number = some.value`),
        setFiled: prepare("update attempts_filed set through = max(through, ?)"),
        filed: prepare(`select id from attempts_by_organization as a
          where organization_id = ? and id < ? order by id desc limit (? + 0)`),
        remove: prepare(`delete from attempts_by_organization where (organization_id, id) in
          (select organization_id, id from attempts where id < ? order by id limit 5)`),
      };
    }

    it("lets the old server append and copy attempts without storing any twice", async () => {
      const all = attempts(62);
      const { store, database } = await withFiled(all.slice(0, 60));
      const older = statementsOf(database);
      await store.migrate();
      for (const late of all.slice(60)) older.append.run(...Object.values(earlierRow(late)));
      expect(older.newest.get()).toEqual({ newest: 62 });
      older.file.run(JSON.stringify([41, 42, 61, 62]));
      older.setFiled.run(62);
      expect(await store.attempts.list({ limit: 100 })).toEqual(newestFirst(all));
    });

    it("shows the old server every attempt of an organization", async () => {
      const all = attempts(60);
      const { store, database } = await withFiled(all);
      const older = statementsOf(database);
      await store.migrate();
      const shown = older.filed.all("acme", "~", 100).map(({ id }) => id);
      expect(shown).toEqual(newestFirst(all, "acme").map(({ id }) => id));
    });

    it("ignores deletions by the old server", async () => {
      const { store, database } = await withFiled(attempts(60));
      const older = statementsOf(database);
      await store.migrate();
      expect(() => older.remove.run("~")).not.toThrow();
      expect(await store.attempts.list({ limit: 100 })).toHaveLength(60);
    });
  });
});
