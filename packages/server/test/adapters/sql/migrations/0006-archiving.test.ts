import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { engines, type TestEngine } from "../../../../../../rigs/harness/service/engines.ts";
import type { Engine } from "../../../../src/adapters/sql/connection.ts";
import { foundation } from "../../../../src/adapters/sql/migrations/0001-foundation.ts";
import { publishing } from "../../../../src/adapters/sql/migrations/0002-publishing.ts";
import { keyCreations } from "../../../../src/adapters/sql/migrations/0003-key-creations.ts";
import { historyByOrganization } from "../../../../src/adapters/sql/migrations/0004-history-by-organization.ts";
import { oneAttemptsTable } from "../../../../src/adapters/sql/migrations/0005-one-attempts-table.ts";
import type { DatabaseAddress } from "../../../../src/adapters/sql/open.ts";
import { openPostgres } from "../../../../src/adapters/sql/postgres/engine.ts";
import { openSqlite } from "../../../../src/adapters/sql/sqlite/engine.ts";
import { newId } from "../../../../src/platform/primitives/ids.ts";

const RELEASED = [foundation, publishing, keyCreations, historyByOrganization, oneAttemptsTable];
const CREATED = "2026-11-01T00:00:00.000Z";

/** A database with the previous schema: a new store on it, and the connection of a server of the previous version. */
async function previousSchema(engine: TestEngine) {
  const { store, address, dispose } = await engine.openEmpty();
  const older = openEngine(address);
  onTestFinished(async () => {
    await older.close();
    await dispose();
  });
  await older.queries.transaction().execute(async (transaction) => {
    await sql`create table migrations (name text primary key, applied text not null)`.execute(transaction);
    for (const { name, up } of RELEASED) {
      await up(transaction, older);
      await transaction.insertInto("migrations").values({ name, applied: CREATED }).execute();
    }
  });
  return { store, older };
}

function openEngine(address: DatabaseAddress): Engine {
  return address.engine === "sqlite" ? openSqlite(address.path) : openPostgres(address.url);
}

/** Adds a customer as the previous version does, with the columns it knows. */
async function addCustomer({ queries }: Engine): Promise<string> {
  const id = newId(new Date());
  await queries.transaction().execute(async (transaction) => {
    const statements = [
      sql`update revision set value = value + 1`,
      sql`insert into organizations (id, name, created, revision) values (${id}, ${id}, ${CREATED}, 1)`,
      sql`insert into families (base, name, visibility, created, revision) values (${id}, 'x', 'public', ${CREATED}, 1)`,
      sql`insert into versions (id, base, number, summary, formats, created, revision)
        values (${`${id}_v1`}, ${id}, 1, 'x', '["mmdb"]', ${CREATED}, 1)`,
      sql`insert into licences (id, organization_id, base, redistribution, starts, created, revision)
        values (${id}, ${id}, ${id}, 'internal', ${CREATED}, ${CREATED}, 1)`,
    ];
    for (const statement of statements) await statement.execute(transaction);
  });
  return id;
}

async function organizationIds({ queries }: Engine): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select * from organizations order by id`.execute(queries);
  return rows.map(({ id }) => id);
}

for (const engine of engines) {
  describe(`migration 0006 on ${engine.name}`, () => {
    it("runs while a server of the previous version reads and writes", async () => {
      const { store, older } = await previousSchema(engine);
      const added = [await addCustomer(older)];
      let isMigrated = false;
      const migrating = store.migrate().finally(() => {
        isMigrated = true;
      });
      while (!isMigrated) {
        added.push(await addCustomer(older));
        expect(await organizationIds(older)).toEqual(added.toSorted());
      }
      expect(await migrating).toContain("0006-archiving");
      added.push(await addCustomer(older));
      expect(await organizationIds(older)).toEqual(added.toSorted());
      const organizations = await store.organizations.list();
      expect(organizations.map(({ id }) => id).sort()).toEqual(added.toSorted());
      const { families, versions, licences } = await store.snapshot();
      expect([families, versions, licences].map(({ length }) => length)).toEqual(Array(3).fill(added.length));
      for (const { archived } of [...organizations, ...families, ...versions]) expect(archived).toBeNull();
    });
  });
}
