import { createReadStream } from "node:fs";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../../../rigs/harness/needs.ts";
import { call } from "../../../../../rigs/harness/service/customer.ts";
import { stages } from "../../../../../rigs/harness/service/stages.ts";
import { testService } from "../../../../../rigs/harness/service/test-service.ts";
import { publishFiles } from "../../../src/domain/builds/publishing/publish-files.ts";
import { updateVersion } from "../../../src/domain/catalogue/catalogue.ts";
import { csv, parquet, query } from "../../domain/sharing/duckdb.ts";
import { COLUMNS, measureWriting, writeCsvgz } from "../../domain/sharing/large-table.ts";

const ROWS = 1_000_000;
const ID = "vpn_ip_v1";
/** Node.js, the rows of a group, and what waits for the collector, however many rows there are. */
const MEMORY_MAX_MB = 900;

describe("A table of a million rows", () => {
  let directory: string;
  let path: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "dbdepot-million-"));
    path = join(directory, "rows.csv.gz");
    await writeCsvgz(path, ROWS);
  }, 600_000);
  afterAll(() => rm(directory, { recursive: true }));

  it.each(stages().map((stage) => ({ stage, name: stage.name })))(
    "has the rows of the csv.gz, in their order, on $name",
    async ({ stage }) => {
      const test = await testService(stage);
      try {
        const { operator } = test;
        const { jobs, objects, store } = test.service.services;
        const acme = await operator.customer("Acme");
        await operator.addDatabase(ID, { formats: ["csvgz"] });
        await operator.grant("Acme", "vpn_ip");
        await updateVersion(operator.operation(), ID, { tables: true });
        const size = { csvgz: (await stat(path)).size };
        const document = { id: ID, updated: "2026-11-01", entries: ROWS, schema: { csvgz: COLUMNS }, size };
        await publishFiles(
          { operation: async () => operator.operation(), objects },
          {
            versionId: ID,
            document: Buffer.from(JSON.stringify(document)),
            files: { csvgz: createReadStream(path) },
            force: false,
          },
        );
        jobs.wake();
        await expect
          .poll(async () => (await store.sharing.latest(ID))?.number, { timeout: 500_000, interval: 1000 })
          .toBe(1);
        await operator.settle();

        const { text } = await call(`${acme.apiUrl}/delta-sharing/shares/vpn_ip/schemas/default/tables/${ID}/query`, {
          method: "POST",
          headers: { authorization: `Bearer ${acme.key}` },
        });
        const files = text
          .trimEnd()
          .split("\n")
          .slice(2)
          .map((line) => JSON.parse(line).file);
        expect(files.reduce((sum, { stats }) => sum + JSON.parse(stats).numRecords, 0)).toBe(ROWS);
        const paths = await Promise.all(
          files.map(async ({ id, url }) => {
            const local = join(directory, `${id}.parquet`);
            await writeFile(local, Buffer.from(await (await fetch(url)).arrayBuffer()));
            return local;
          }),
        );
        const [inCsv, inParquet] = [csv(path, COLUMNS), parquet(paths)];
        // DuckDB reads both in the order of the rows. It pads the shorter one with nulls.
        const [found] = await query(`select count(a.network) as rows, count(b.network) as written,
          count(*) filter (a is distinct from b) as different
          from ${inCsv} a positional join ${inParquet} b`);
        expect(found).toEqual({ rows: BigInt(ROWS), written: BigInt(ROWS), different: 0n });
      } finally {
        await test.dispose();
      }
    },
  );

  it(`takes less than ${MEMORY_MAX_MB} MB of memory to write`, needs("Linux"), () => {
    expect(measureWriting("dbdepot", path, COLUMNS).peakMegabytes).toBeLessThan(MEMORY_MAX_MB);
  });
});
