import { ExplainNode, type KyselyPlugin, type RootOperationNode, sql } from "kysely";
import { describe, expect, it } from "vitest";
import { engines, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import { sqlAttempts } from "../../../src/adapters/sql/attempts.ts";
import type { Engine } from "../../../src/adapters/sql/connection.ts";
import type { DatabaseAddress } from "../../../src/adapters/sql/open.ts";
import { openPostgres } from "../../../src/adapters/sql/postgres/engine.ts";
import { openSqlite } from "../../../src/adapters/sql/sqlite/engine.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";
import { day } from "../../domain/licences/terms.ts";
import { attempt } from "./samples.ts";

const ORGANIZATIONS = 50;
const ATTEMPTS = 20_000;

function openEngine(address: DatabaseAddress): Engine {
  return address.engine === "sqlite" ? openSqlite(address.path) : openPostgres(address.url);
}

/** Explains queries instead of running them. Every query returns no rows, and its plan is added to `plans`. */
function explain(engine: Engine["name"], plans: string[]): KyselyPlugin {
  const options = engine === "sqlite" ? sql`query plan`.toOperationNode() : undefined;
  return {
    transformQuery: ({ node }) => ({ ...node, explain: ExplainNode.create(undefined, options) }) as RootOperationNode,
    transformResult: async ({ result }) => {
      plans.push(result.rows.map((row) => String(row.detail ?? row["QUERY PLAN"])).join("\n"));
      return { ...result, rows: [] };
    },
  };
}

for (const engine of engines) {
  describe(`Query plans of the history on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    it("find the first page of an organization, and the oldest attempts, in an index", async () => {
      const organizationIds = Array.from({ length: ORGANIZATIONS }, () => newId(day(0)));
      const rows = Array.from({ length: ATTEMPTS }, (_, i) =>
        attempt({ organizationId: organizationIds[i % ORGANIZATIONS] ?? "" }),
      );
      await opened.store.attempts.append(rows);
      await opened.query("analyze");
      const database = openEngine(opened.address);
      const plans: string[] = [];
      const queries = database.queries.withPlugin(explain(engine.name, plans));
      const attempts = sqlAttempts({ queries, jsonRows: database.jsonRows });
      await attempts.list({ organizationId: organizationIds[0] ?? "", limit: 51 });
      await attempts.list({ organizationId: organizationIds[0] ?? "", before: rows[9000]?.id ?? "", limit: 51 });
      await attempts.list({ limit: 51 });
      await attempts.removeBefore(day(0), 500);
      // All attempts were made on day 0.
      await attempts.list({ since: day(100), until: day(130), limit: 51 });
      await attempts.usageByDay({ organizationId: organizationIds[0] ?? "", since: day(-30), until: day(0) });
      await attempts.usageByDay({ since: day(100), until: day(130) });
      await database.close();

      const [firstPage = "", nextPage = "", ofAll = "", oldest = "", ofPeriod = "", usage = "", usageOfAll = ""] =
        plans;
      for (const plan of [firstPage, nextPage]) expect(plan).toMatch(/using (index )?attempts_organization/i);
      expect(ofAll).toMatch(/using (index )?(attempts_pkey|sqlite_autoindex_attempts_1)/i);
      expect(oldest).toMatch(/using (index |covering index )?(attempts_pkey|sqlite_autoindex_attempts_1)/i);
      expect(oldest).toMatch(/\(id ?</);
      for (const plan of [firstPage, nextPage, ofAll, oldest, ofPeriod]) {
        expect(plan).not.toMatch(/Seq Scan|Sort|TEMP B-TREE|SCAN attempts$/m);
      }
      // The start of the period is found in the index. Grouping by day may sort the rows of the period.
      expect(usage).toMatch(/attempts_organization/i);
      for (const plan of [ofPeriod, usage, usageOfAll]) expect(plan).toMatch(/id ?>/);
      for (const plan of [usage, usageOfAll]) expect(plan).not.toMatch(/Seq Scan|SCAN attempts$/m);
    });
  });
}
