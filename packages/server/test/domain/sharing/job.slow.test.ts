import { hash } from "node:crypto";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import type { Build } from "../../../src/domain/builds/build.ts";
import { rollBack, withdrawBuild } from "../../../src/domain/builds/rollback.ts";
import { updateVersion } from "../../../src/domain/catalogue/catalogue.ts";
import { enqueue } from "../../../src/domain/jobs/jobs.ts";
import { JobRunner } from "../../../src/domain/jobs/runner.ts";
import { createSigningKey } from "../../../src/domain/manifests/signing-keys.ts";
import { sweep } from "../../../src/domain/retention/leftovers.ts";
import { TABLE_LIMITS, type TableJobOptions, tableJob } from "../../../src/domain/sharing/job.ts";
import { tableRemovalJob } from "../../../src/domain/sharing/removal.ts";
import { type SharedFile, sharedKeyOf } from "../../../src/domain/sharing/shared-table.ts";
import { writeTableInThread } from "../../../src/domain/sharing/write-table.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";
import { Depot } from "../builds/depot.ts";
import { query, rowsOf, typesOf } from "./duckdb.ts";
import { tableBuild } from "./table-build.ts";

const COLUMNS = { ip: "ip", asn: "uint32" };

function rethrow(_message: string, error: unknown): never {
  throw error;
}

for (const stage of eitherStage()) {
  describe(`Writing tables on ${stage.name}`, () => {
    let depot: Depot;
    let id: string;
    let count = 0;
    beforeAll(async () => {
      depot = await Depot.open(stage);
    });
    afterAll(() => depot.dispose());

    async function newVersion(tables = true): Promise<void> {
      // The job of a test that lets it fail.
      if (count > 0) await depot.store.jobs.remove("write_tables", id);
      count += 1;
      id = await depot.addVersion(`some_v${count}`, ["csvgz"], { tables });
    }

    async function publish(rows: readonly string[][], columns: Record<string, string> = COLUMNS): Promise<Build> {
      return (await depot.publish(id, tableBuild(id, columns, rows), { force: true })).build;
    }

    type Options = Partial<TableJobOptions> & { onFailure?(message: string, error: unknown): void };

    function runner({ onFailure = rethrow, ...options }: Options = {}): JobRunner {
      const { store, objects, settings } = depot;
      const clock = depot.clock.now;
      return new JobRunner({
        store,
        clock,
        handlers: {
          write_tables: tableJob({
            store,
            objects,
            clock,
            directory: join(settings.dataDir, "tables"),
            limits: TABLE_LIMITS,
            maxFileBytes: 1024 * 1024,
            writeTable: writeTableInThread,
            rules: depot.operation().rules ?? {},
            onWritten: () => {},
            onFailed: () => {},
            ...options,
          }),
          remove_tables: tableRemovalJob({ store, objects, clock, linkTtlSeconds: 3600 }),
        },
        onFailure,
      });
    }

    /** Runs all jobs that are due. */
    async function work(options: Options = {}): Promise<void> {
      const one = runner(options);
      while (await one.runNext("write_tables"));
    }

    async function remove(): Promise<void> {
      await enqueue(depot.store, "remove_tables", {}, depot.clock.now());
      depot.clock.advance("61 seconds");
      await runner().runNext("remove_tables");
    }

    const job = () => depot.store.jobs.find("write_tables", id);
    const versions = () => depot.store.sharing.versions(id);
    const filesOf = (build: Build) => depot.store.sharing.filesOf([build.id]);
    const storedFiles = async () =>
      (await depot.keys()).filter((key) => key.startsWith(`${id}/`) && key.endsWith(".parquet"));
    const contentOf = async (build: Build, content: SharedFile["content"], number?: number) =>
      (await filesOf(build)).filter((file) => file.content === content && (number ?? file.number) === file.number);

    /** The paths of local copies, whose digests it checks. */
    async function download(files: readonly SharedFile[]): Promise<string[]> {
      return Promise.all(
        files.map(async ({ id: fileId, objectKey, sha256, sizeBytes }) => {
          const bytes = Buffer.concat(await Array.fromAsync(await depot.objects.read(objectKey)));
          expect([bytes.length, hash("sha256", bytes)]).toEqual([sizeBytes, sha256]);
          const path = join(depot.settings.dataDir, `${fileId}.parquet`);
          await writeFile(path, bytes);
          return path;
        }),
      );
    }

    it("writes the rows with the types of the columns, and nulls for empty cells", async () => {
      await newVersion();
      const columns = {
        network: "cidr",
        name: "string",
        vpn: "boolean",
        small: "uint16",
        signed: "int32",
        asn: "uint32",
        long: "int64",
        huge: "uint64",
        share: "float",
        risk: "double",
        seen: "date",
        at: "timestamp",
        payload: "bytes",
      };
      const rows = [
        ["192.0.2.0/24", 'One, "two"\nthree é 😀', "true", "65535", "-2147483648", "4294967295", "9223372036854775807"],
        ["2001:db8::/32", " ", "0", "0", "2147483647", "0", "-9223372036854775808"],
        ["", "", "", "", "", "", ""],
      ].map((row, index) => [
        ...row,
        ...([
          ["18446744073709551615", "0.1", "1e300", "2024-02-29", "2026-11-19T01:02:03.456789Z", "00ff"],
          ["0", "-0.5", "-1.5", "0001-01-01", "1969-12-31 23:59:59+01:00", "aa"],
          ["", "", "", "", "", ""],
        ][index] ?? []),
      ]);
      const build = await publish(rows, columns);
      await work();
      const paths = await download(await contentOf(build, "rows"));
      expect(await typesOf(paths)).toEqual({
        network: "VARCHAR",
        name: "VARCHAR",
        vpn: "BOOLEAN",
        small: "INTEGER",
        signed: "INTEGER",
        asn: "BIGINT",
        long: "BIGINT",
        huge: "VARCHAR",
        share: "FLOAT",
        risk: "DOUBLE",
        seen: "DATE",
        at: "TIMESTAMP WITH TIME ZONE",
        payload: "VARCHAR",
      });
      const read =
        await query(`select * replace (epoch_us("at") as "at", risk::varchar as risk, share::varchar as share,
        seen::varchar as seen) from read_parquet('${paths[0]}')`);
      expect(read.map((row) => Object.values(row))).toEqual([
        [
          ...["192.0.2.0/24", 'One, "two"\nthree é 😀', true, 65535, -2147483648, 4294967295n, 9223372036854775807n],
          ...["18446744073709551615", "0.1", "1e+300", "2024-02-29", 1795050123456789n, "00ff"],
        ],
        [
          ...["2001:db8::/32", " ", false, 0, 2147483647, 0n, -9223372036854775808n],
          ...["0", "-0.5", "-1.5", "0001-01-01", -3601000000n, "aa"],
        ],
        Array(13).fill(null),
      ]);
      const [version] = await versions();
      expect(version).toMatchObject({ number: 1, buildId: build.id, baseBuildId: null, noChanges: null });
      expect(version?.columns.map(({ type }) => type)).toEqual([
        ...["string", "string", "boolean", "integer", "integer", "long", "long", "string"],
        ...["float", "double", "date", "timestamp", "string"],
      ]);
      const metadata = await query(`select decode(key) as key, decode(value) as value from
        parquet_kv_metadata('${paths[0]}') order by key`);
      expect(metadata).toEqual([
        { key: "dbdepot.build_id", value: build.id },
        { key: "dbdepot.csvgz_sha256", value: build.files.csvgz?.checksums.sha256 },
        { key: "dbdepot.id", value: id },
      ]);
      const compression = await query(`select distinct compression from parquet_metadata('${paths[0]}')`);
      expect(compression).toEqual([{ compression: "ZSTD" }]);
      expect(await readdir(join(depot.settings.dataDir, "tables"))).toEqual([]);
      expect(await job()).toBeUndefined();
    });

    it.each([
      ["uint32", "4294967296", 'row 2, column value: "4294967296" is not uint32'],
      ["uint16", "-1", 'row 2, column value: "-1" is not uint16'],
      ["int32", "2147483648", 'row 2, column value: "2147483648" is not int32'],
      ["int64", "9223372036854775808", 'row 2, column value: "9223372036854775808" is not int64'],
      ["float", "3.5e38", 'row 2, column value: "3.5e38" is not float'],
      ["int32", "1.5", 'row 2, column value: "1.5" is not int32'],
      ["boolean", "maybe", 'row 2, column value: "maybe" is not boolean'],
      ["double", "1e999", 'row 2, column value: "1e999" is not double'],
      ["date", "2026-02-30", 'row 2, column value: "2026-02-30" is not date'],
      ["timestamp", "yesterday", 'row 2, column value: "yesterday" is not timestamp'],
    ])("fails the job, but not the publication, if a %s is %s", async (type, value, error) => {
      await newVersion();
      const build = await publish(
        [
          ["192.0.2.1", ""],
          ["192.0.2.2", value],
        ],
        { ip: "ip", value: type },
      );
      const failures: unknown[] = [];
      await work({ onFailure: (_message, failure) => failures.push(failure) });
      expect(failures).toEqual([expect.objectContaining({ message: error })]);
      expect(await job()).toMatchObject({ error });
      expect(await versions()).toEqual([]);
      expect((await depot.current(id))?.id).toBe(build.id);
    });

    it("writes the changes between consecutive versions, from which the next one follows", async () => {
      await newVersion();
      await publish([
        ["192.0.2.1", "1"],
        ["192.0.2.2", "2"],
        ["192.0.2.3", ""],
      ]);
      await work();
      const second = await publish([
        ["192.0.2.1", "1"],
        ["192.0.2.2", "20"],
        ["192.0.2.4", "4"],
      ]);
      await work();
      expect(await rowsOf(await download(await contentOf(second, "changes", 2)))).toEqual([
        ["192.0.2.2", "2", "update_preimage"],
        ["192.0.2.2", "20", "update_postimage"],
        ["192.0.2.3", null, "delete"],
        ["192.0.2.4", "4", "insert"],
      ]);
      expect(await versions()).toMatchObject([{ number: 1 }, { number: 2, noChanges: null }]);
    });

    it("adds a version after a rollback, with the files that exist already", async () => {
      await newVersion();
      const first = await publish([["192.0.2.1", "1"]]);
      await work();
      const second = await publish([["192.0.2.1", "2"]]);
      await work();
      const rows = await contentOf(first, "rows");
      await rollBack(depot.operation(), { versionId: id });
      await work();
      expect((await versions()).map(({ number, buildId }) => [number, buildId])).toEqual([
        [1, first.id],
        [2, second.id],
        [3, first.id],
      ]);
      expect(await contentOf(first, "rows")).toEqual(rows);
      expect(await rowsOf(await download(await contentOf(first, "changes", 3)))).toEqual([
        ["192.0.2.1", "2", "update_preimage"],
        ["192.0.2.1", "1", "update_postimage"],
      ]);
    });

    it("writes no changes from a build that was withdrawn, and removes its files once links have expired", async () => {
      await newVersion();
      await publish([["192.0.2.1", "1"]]);
      await work();
      const second = await publish([["192.0.2.66", "2"]]);
      await work();
      const third = await publish([["192.0.2.1", "3"]]);
      await work();
      const kept = (await contentOf(third, "rows")).map(({ objectKey }) => objectKey);
      const before = await storedFiles();
      await withdrawBuild(depot.operation(), second.id);
      await remove();
      expect([...(await filesOf(second)), ...(await contentOf(third, "changes"))]).toEqual([]);
      expect(await storedFiles()).toEqual(before);
      depot.clock.advance("3600 seconds");
      await remove();
      const remaining = await storedFiles();
      expect(remaining).toEqual(expect.arrayContaining(kept));
      expect(remaining).toHaveLength(2);
      const fourth = await publish([["192.0.2.1", "4"]]);
      await work();
      await withdrawBuild(depot.operation(), fourth.id);
      await work();
      expect((await versions()).at(-1)).toMatchObject({
        number: 5,
        buildId: third.id,
        noChanges: "the previous build was withdrawn",
      });
    });

    it("splits large tables into several files", async () => {
      await newVersion();
      const rows = Array.from({ length: 200_001 }, (_, i) => [`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`, String(i)]);
      const build = await publish(rows);
      await work({ maxFileBytes: 100_000 });
      const files = await contentOf(build, "rows");
      expect(files.map((file) => file.rows)).toEqual([100_000, 100_000, 1]);
      expect(await rowsOf(await download(files))).toEqual(rows);
    });

    it("writes a file without rows for a build without rows", async () => {
      await newVersion();
      const build = await publish([]);
      await work();
      const paths = await download(await contentOf(build, "rows"));
      expect(await rowsOf(paths)).toEqual([]);
      expect(await typesOf(paths)).toEqual({ ip: "VARCHAR", asn: "BIGINT" });
    });

    it("starts when tables are turned on, and removes the files after they were turned off", async () => {
      await newVersion(false);
      await publish([["192.0.2.1", "1"]]);
      await work();
      expect(await storedFiles()).toEqual([]);
      await updateVersion(depot.operation(), id, { tables: true });
      await work();
      expect(await storedFiles()).toHaveLength(1);
      await updateVersion(depot.operation(), id, { tables: false });
      await remove();
      depot.clock.advance("7200 seconds");
      await remove();
      expect(await storedFiles()).toEqual([]);
      await updateVersion(depot.operation(), id, { tables: true });
      await work();
      expect(await versions()).toHaveLength(1);
      expect(await storedFiles()).toHaveLength(1);
    });

    it("refuses tables of a version without csv.gz", async () => {
      await expect(depot.addVersion("other_v1", ["mmdb"], { tables: true })).rejects.toThrow(
        "other_v1 is not built as csvgz, from which tables are written: leave tables off",
      );
    });

    it.each([
      ["time", { timeoutMs: 1, memoryMb: 512 }, "writing the Parquet files takes more than 0 s"],
      ["memory", { timeoutMs: 60_000, memoryMb: 8 }, "writing the Parquet files takes more than 8 MB of memory"],
    ])("fails the job if it takes too much %s", async (_, limits, error) => {
      await newVersion();
      await publish(Array.from({ length: 150_000 }, (_, i) => [`${i} ${"x".repeat(50)}`, String(i)]));
      await work({ limits, onFailure: () => {} });
      expect(await job()).toMatchObject({ error });
    });

    it("removes what a killed process stored but did not record, and sweeps what remains", async () => {
      await newVersion();
      const build = await publish([["192.0.2.1", "1"]]);
      const lost = sharedKeyOf({ versionId: id, buildId: build.id, id: newId(depot.clock.now()) });
      await depot.objects.put(lost, Readable.from([Buffer.from("half")]));
      await work();
      const stored = await storedFiles();
      expect(stored).not.toContain(lost);
      await depot.objects.put(lost, Readable.from([Buffer.from("half")]));
      const swept = await sweep(depot.operation(), depot.objects, new Date(Date.now() + 60_000));
      expect(swept.objects.map(({ key }) => key)).toEqual([lost]);
      expect(await storedFiles()).toEqual(stored);
    });

    it("appends a manifest with the digests of the files once they exist", async () => {
      await createSigningKey(depot.operation());
      await newVersion();
      await publish([["192.0.2.1", "1"]]);
      await work();
      const build = await publish([["192.0.2.1", "2"]]);
      const published = await depot.store.manifests.latest(id);
      expect(JSON.parse(published?.body ?? "")).not.toHaveProperty("tables");
      await work();
      const latest = await depot.store.manifests.latest(id);
      const digests = (files: SharedFile[]) =>
        files.map(({ sizeBytes, sha256 }) => ({ size_bytes: sizeBytes, sha256 }));
      expect(latest?.sequence).toBe((published?.sequence ?? 0) + 1);
      expect(JSON.parse(latest?.body ?? "")).toEqual({
        ...JSON.parse(published?.body ?? ""),
        sequence: latest?.sequence,
        created: expect.any(String),
        previous: hash("sha256", published?.body ?? ""),
        tables: {
          version: 2,
          rows: digests(await contentOf(build, "rows")),
          changes: digests(await contentOf(build, "changes")),
        },
      });
    });
  });
}
