import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { checksumsOf } from "../../../../../rigs/harness/service/test-service.ts";
import { withdrawBuild } from "../../../src/domain/builds/rollback.ts";
import { sweep } from "../../../src/domain/retention/leftovers.ts";
import { Depot } from "./depot.ts";
import { csvOf, mmdbOf, type SampleBuild, sampleBuild } from "./sample-build.ts";

/** A name, the change to a valid build with samples of 10 rows, and the expected faults. */
const FAULTY: [string, (valid: SampleBuild) => SampleBuild["files"], unknown[]][] = [
  [
    "other columns",
    () => ({ sample_csvgz: gzipSync("network,asn\n192.0.2.0/24,1\n") }),
    ['sample_csvgz: header is "network,asn", metadata says "network,provider"'],
  ],
  [
    "more rows than the full file",
    () => ({ sample_csvgz: gzipSync(csvOf(101)) }),
    ["sample_csvgz: has 101 rows, more than the full file (100)"],
  ],
  [
    "more bytes than the full file",
    () => ({ sample_mmdb: mmdbOf("x".repeat(400_000)) }),
    [expect.stringMatching(/^sample_mmdb: has 4\d+ bytes, more than the full file \(\d+\)$/)],
  ],
  ["a damaged csv.gz", () => ({ sample_csvgz: Buffer.from("network") }), ["sample_csvgz: not a gzip file"]],
  ["a damaged mmdb", () => ({ sample_mmdb: Buffer.from("network") }), [expect.stringMatching(/^sample_mmdb: /)]],
];

for (const stage of eitherStage()) {
  describe(`publishing samples on ${stage.name}`, () => {
    let depot: Depot;
    beforeAll(async () => {
      depot = await Depot.open(stage);
    });
    afterAll(() => depot.dispose());

    const keysOf = async (id: string) => (await depot.keys()).filter((key) => key.startsWith(`${id}/`));

    it("stores them with the build, with their digests", async () => {
      const id = await depot.addVersion("both_v1");
      const built = sampleBuild(id, { sampleRows: 10 });
      const { build } = await depot.publish(id, built);
      expect(await depot.expectServed(id)).toEqual(build);
      for (const kind of ["csvgz", "mmdb", "sample_csvgz", "sample_mmdb"] as const) {
        expect(build.files[kind]?.checksums).toEqual(checksumsOf(built.files[kind] as Buffer));
      }
      expect(await keysOf(id)).toEqual(
        [".csv.gz", ".mmdb", ".sample.csv.gz", ".sample.mmdb"].map((end) => `${id}/${build.id}/${id}${end}`),
      );
      const [entry] = await depot.store.audit.list({ limit: 1 });
      expect(entry?.after).toMatchObject({ files: { sample_csvgz: { size_bytes: built.files.sample_csvgz?.length } } });
    });

    it("accepts a sample of one format, and one that the document does not mention", async () => {
      const id = await depot.addVersion("one_v1");
      const { document, files } = sampleBuild(id);
      const { build } = await depot.publish(id, { document, files: { ...files, sample_csvgz: gzipSync(csvOf(100)) } });
      expect(Object.keys(build.files).sort()).toEqual(["csvgz", "mmdb", "sample_csvgz"]);
    });

    it("refuses the full file as its own sample in the first build, unless forced", async () => {
      const id = await depot.addVersion("given_away_v1");
      const { document, files } = sampleBuild(id, { rows: 1001 });
      const mistake = { document, files: { ...files, sample_csvgz: files.csvgz as Buffer } };
      await expect(depot.publish(id, mistake)).rejects.toMatchObject({
        reason: "suspicious",
        faults: ["sample_csvgz is the full csvgz file, with all 1001 rows (use --force to publish anyway)"],
      });
      const { build } = await depot.publish(id, mistake, { force: true });
      expect(Object.keys(build.files).sort()).toEqual(["csvgz", "mmdb", "sample_csvgz"]);
    });

    it.each(FAULTY)("refuses a sample with %s, and changes nothing", async (name, change, faults) => {
      const id = await depot.addVersion(`faulty_${name.replace(/\W/g, "_")}_v1`);
      const { document, files } = sampleBuild(id);
      const before = await depot.everything();
      const sample = change({ document, files });
      const refused = depot.publish(id, { document, files: { ...files, ...sample } });
      await expect(refused).rejects.toMatchObject({ reason: "faulty", faults });
      expect(await depot.everything()).toEqual(before);
    });

    it("refuses samples that contradict the document, or that it mentions and that are missing", async () => {
      const id = await depot.addVersion("contradiction_v1");
      const { document, files } = sampleBuild(id, { sampleRows: 10 });
      const { csvgz, mmdb } = files;
      const other = { csvgz, mmdb, sample_csvgz: gzipSync(csvOf(9)) } as SampleBuild["files"];
      await expect(depot.publish(id, { document, files: other })).rejects.toMatchObject({
        reason: "faulty",
        faults: [
          expect.stringMatching(/^sample_csvgz: has \d+ bytes, metadata says \d+$/),
          "sample_csvgz: has 9 rows, metadata says 10",
          expect.stringMatching(/^sample_mmdb: the file is missing, metadata says it has \d+ bytes$/),
        ],
      });
    });

    it("publishes the same files again if only a sample is new", async () => {
      const id = await depot.addVersion("added_v1");
      const first = await depot.publish(id, sampleBuild(id));
      const second = await depot.publish(id, sampleBuild(id, { sampleRows: 10 }));
      expect([second.isUnchanged, second.build.id === first.build.id]).toEqual([false, false]);
      expect((await depot.publish(id, sampleBuild(id, { sampleRows: 10 }))).isUnchanged).toBe(true);
      await depot.expectServed(id);
    });

    it("removes samples together with their build, and sweeps those that were left behind", async () => {
      const id = await depot.addVersion("removed_v1");
      const { build: old } = await depot.publish(id, sampleBuild(id, { sampleRows: 10 }));
      await withdrawBuild(depot.operation(), old.id);
      depot.clock.advance("1 days");
      const retention = { keep: 1, linkTtlSeconds: 60 };
      const { removed } = await depot.publish(id, sampleBuild(id, { mark: "2", sampleRows: 5 }), { retention });
      expect(removed.map((build) => build.id)).toEqual([old.id]);
      expect((await keysOf(id)).filter((key) => key.includes(old.id))).toEqual([]);
      // An earlier version of dbdepot, which does not know samples, leaves such an object behind.
      const leftover = `${id}/${old.id}/${id}.sample.mmdb`;
      await depot.objects.put(leftover, Readable.from([Buffer.from("x")]));
      const swept = await sweep(depot.operation(), depot.objects, new Date(Date.now() + 60_000));
      expect(swept.objects.map(({ key }) => key)).toEqual([leftover]);
      await depot.expectServed(id);
    });
  });
}
