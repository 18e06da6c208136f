import { ExplainNode, type KyselyPlugin, RawNode, type RootOperationNode, sql } from "kysely";
import { describe, expect, it } from "vitest";
import { engines, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import { sqlAttempts } from "../../../src/adapters/sql/attempts.ts";
import type { Engine } from "../../../src/adapters/sql/connection.ts";
import type { DatabaseAddress } from "../../../src/adapters/sql/open.ts";
import { openPostgres } from "../../../src/adapters/sql/postgres/engine.ts";
import { openSqlite } from "../../../src/adapters/sql/sqlite/engine.ts";
import { sqlUsage } from "../../../src/adapters/sql/usage.ts";
import { addDays } from "../../../src/domain/usage/days.ts";
import { usageFilter } from "../../../src/domain/usage/report.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";
import { day } from "../../domain/licences/terms.ts";
import { attempt } from "./samples.ts";

const ORGANIZATIONS = 50;
const ATTEMPTS = 20_000;
/** Every third day of more than three years. */
const DAYS = 400;

function openEngine(address: DatabaseAddress): Engine {
  return address.engine === "sqlite" ? openSqlite(address.path) : openPostgres(address.url);
}

/** Explains queries instead of running them. Every query returns no rows, and its plan is added to `plans`. */
function explain(engine: Engine["name"], plans: string[]): KyselyPlugin {
  const options = engine === "sqlite" ? sql`query plan`.toOperationNode() : undefined;
  return {
    transformQuery: ({ node }) => {
      if (!RawNode.is(node)) return { ...node, explain: ExplainNode.create(undefined, options) } as RootOperationNode;
      const [first = "", ...fragments] = node.sqlFragments;
      const keyword = engine === "sqlite" ? "explain query plan" : "explain";
      return { ...node, sqlFragments: [`${keyword} ${first}`, ...fragments] };
    },
    transformResult: async ({ result }) => {
      plans.push(result.rows.map((row) => String(row.detail ?? row["QUERY PLAN"])).join("\n"));
      return { ...result, rows: [] };
    },
  };
}

for (const engine of engines) {
  describe(`Query plans of the history and the usage on ${engine.name}`, () => {
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
      await attempts.countsByDay({ organizationId: organizationIds[0] ?? "", since: day(-30), until: day(0) });
      await attempts.countsByDay({ since: day(100), until: day(130) });
      await sqlUsage({ queries, jsonRows: database.jsonRows }).count({
        organizationIds: organizationIds.slice(0, 2),
        from: "2027-04-01",
        to: "2027-04-08",
      });
      await database.close();

      const [firstPage = "", nextPage = "", ofAll = "", oldest = "", ofPeriod = "", ...more] = plans;
      const [usage = "", usageOfAll = "", ...counts] = more;
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
      // The days and the first downloads are counted every minute.
      expect(counts).toHaveLength(2);
      for (const plan of counts) {
        expect(plan).toMatch(/id ?>/);
        expect(plan).not.toMatch(/Seq Scan on attempts|SCAN attempts$/m);
      }
    });

    it("find the days and months of a usage report in an index", async () => {
      const { usage } = opened.store;
      const claim = { by: "the test", until: day(400) };
      await usage.claim(claim, day(0));
      const organizationIds = Array.from({ length: ORGANIZATIONS }, () => newId(day(0)));
      const counts = { firstDownloads: 1, repeats: 0, refused: 0, bytes: 1, savedBytes: 0, keys: 1, addresses: 1 };
      const days = organizationIds.flatMap((organizationId) =>
        Array.from({ length: DAYS }, (_, n) => ({
          ...{ organizationId, day: addDays("2024-01-01", 3 * n), datasetId: "vpn_ip_v1", format: "mmdb" },
          ...counts,
        })),
      );
      const nothing = { days: [], firsts: [] };
      expect(await usage.write(claim, { put: { ...nothing, days }, remove: nothing })).toBe(true);
      await opened.query("analyze");
      const database = openEngine(opened.address);
      const plans: string[] = [];
      const queries = database.queries.withPlugin(explain(engine.name, plans));
      const reports = sqlUsage({ queries, jsonRows: database.jsonRows });
      const january = { from: "2027-01-01", to: "2027-02-01" };
      const [first] = organizationIds;
      for (const organizationId of [first, undefined]) {
        for (const by of ["day", "month", "database"] as const) {
          await reports.page(usageFilter({ by, ...january }, organizationId, day(0)), {});
        }
      }
      await database.close();
      expect(plans).toHaveLength(6);
      for (const plan of plans) {
        expect(plan).toMatch(/usage_(days|months)_\w+|usage_(days|months) using primary key/i);
        expect(plan).not.toMatch(/Seq Scan on usage|SCAN usage_\w+$/m);
      }
    });
  });
}
