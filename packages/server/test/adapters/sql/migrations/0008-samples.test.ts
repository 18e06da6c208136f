import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { engines, type TestEngine } from "../../../../../../rigs/harness/service/engines.ts";
import type { Engine } from "../../../../src/adapters/sql/connection.ts";
import { foundation } from "../../../../src/adapters/sql/migrations/0001-foundation.ts";
import { publishing } from "../../../../src/adapters/sql/migrations/0002-publishing.ts";
import { keyCreations } from "../../../../src/adapters/sql/migrations/0003-key-creations.ts";
import { historyByOrganization } from "../../../../src/adapters/sql/migrations/0004-history-by-organization.ts";
import { oneAttemptsTable } from "../../../../src/adapters/sql/migrations/0005-one-attempts-table.ts";
import { archiving } from "../../../../src/adapters/sql/migrations/0006-archiving.ts";
import { terms } from "../../../../src/adapters/sql/migrations/0007-terms.ts";
import { openPostgres } from "../../../../src/adapters/sql/postgres/engine.ts";
import { openSqlite } from "../../../../src/adapters/sql/sqlite/engine.ts";
import { newId } from "../../../../src/platform/primitives/ids.ts";
import { attempt } from "../samples.ts";

const RELEASED = [foundation, publishing, keyCreations, historyByOrganization, oneAttemptsTable, archiving, terms];
const CREATED = "2026-11-01T00:00:00.000Z";

/** A database with the previous schema: a new store on it, and the connection of a server of the previous version. */
async function previousSchema(engine: TestEngine) {
  const { store, address, dispose } = await engine.openEmpty();
  const older = address.engine === "sqlite" ? openSqlite(address.path) : openPostgres(address.url);
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

/** Records a download as the previous version does, with the columns it knows. */
async function addAttempt({ queries }: Engine): Promise<string> {
  const id = newId(new Date());
  await sql`insert into attempts (id, api, dataset_id, format, outcome, http_status, created, open)
    values (${id}, 'v2', 'x', 'mmdb', 'ok', 302, ${CREATED}, 0)`.execute(queries);
  return id;
}

for (const engine of engines) {
  describe(`migration 0008 on ${engine.name}`, () => {
    it("runs while a server of the previous version records attempts, none of which is for a sample", async () => {
      const { store, older } = await previousSchema(engine);
      const added = [await addAttempt(older)];
      let isMigrated = false;
      const migrating = store.migrate().finally(() => {
        isMigrated = true;
      });
      while (!isMigrated) added.push(await addAttempt(older));
      expect(await migrating).toContain("0008-samples");
      added.push(await addAttempt(older));
      const attempts = await store.attempts.list({ limit: 10_000, sample: false });
      expect(attempts.map(({ id }) => id).sort()).toEqual(added.toSorted());
      const sampled = attempt({ sample: true });
      await store.attempts.append([sampled]);
      expect(await store.attempts.list({ limit: 10, sample: true })).toEqual([sampled]);
    });
  });
}
