import { gzipSync } from "node:zlib";
import type { ByFormat, Format } from "@dbdepot/contract/shared/formats";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eitherStage, type Stage } from "../../../../../rigs/harness/service/stages.ts";
import { nestedPointers } from "../../../../formats/test/mmdb/nested-pointers.ts";
import { BuildRefused } from "../../../src/domain/builds/refusal.ts";
import { Depot } from "./depot.ts";
import { csvOf, type SampleBuild, type SampleOptions, sampleBuild } from "./sample-build.ts";

const ID = "vpn_ip_v1";
const MMDB_MARKER = Buffer.from("\xab\xcd\xefMaxMind.com", "latin1");
const columns = (...names: string[]) => names.map((name) => ({ name, type: "string" }));
const manyNames = Array.from({ length: 5000 }, (_, i) => `c${i}`);
const both = <T>(value: T) => ({ csvgz: value, mmdb: value });

/** A name, the change to a valid build, and the expected faults. */
const FAULTY: [string, SampleOptions["overrides"] | ((valid: SampleBuild) => SampleBuild), unknown[]][] = [
  ["another id", { id: "vpn_ip_v2" }, ["metadata: id is vpn_ip_v2, expected vpn_ip_v1"]],
  ["a wrong number of rows", { entries: 99 }, ["csvgz: has 100 rows, metadata says 99"]],
  [
    "wrong sizes",
    { size: { csvgz: 1, mmdb: 2 } },
    [
      expect.stringMatching(/^csvgz: has \d+ bytes, metadata says 1$/),
      expect.stringMatching(/^mmdb: has \d+ bytes, metadata says 2$/),
    ],
  ],
  [
    "a schema with other columns",
    { schema: both(columns("provider", "network")) },
    ['csvgz: header is "network,provider", metadata says "provider,network"'],
  ],
  [
    "a schema with an extra column",
    { schema: { csvgz: columns("network", "provider", "asn"), mmdb: columns("network", "provider") } },
    [
      'metadata: sample.csvgz, row 1: "asn" is missing',
      'csvgz: header is "network,provider", metadata says "network,provider,asn"',
    ],
  ],
  [
    "sample rows of another shape",
    { sample: { csvgz: [{ network: 1 }, { network: 1, provider: 2, asn: 3 }], mmdb: [] } },
    [
      'metadata: sample.csvgz, row 1: "provider" is missing',
      'metadata: sample.csvgz, row 2: "asn" is not in the schema',
    ],
  ],
  [
    "a document without one of the formats",
    { schema: { csvgz: columns("network", "provider") }, size: {}, sample: undefined },
    ["metadata: schema.mmdb is missing", "metadata: size.csvgz is missing", "metadata: size.mmdb is missing"],
  ],
  [
    "all fields of the wrong type",
    { id: 1, update_freq: 2, updated: "yesterday", entries: "100", schema: [], sample: "none", size: { csvgz: -1 } },
    [
      "metadata: id: must be a string",
      "metadata: update_freq: must be a string",
      "metadata: updated: must be a date (YYYY-MM-DD)",
      "metadata: entries: must be an integer",
      "metadata: schema: must be an object",
      "metadata: sample: must be an object",
      "metadata: size.csvgz: must be >= 0",
    ],
  ],
  ["an impossible date", { updated: "2026-02-30" }, ["metadata: updated: must be a date (YYYY-MM-DD)"]],
  [
    "invalid columns and formats",
    { schema: { csvgz: [{ name: "" }, 7], mmdb: [], parquet: [] } },
    [
      'metadata: schema: "parquet" is not allowed',
      'metadata: schema.csvgz.0: "type" is missing',
      "metadata: schema.csvgz.0.name: must not have fewer than 1 characters",
      "metadata: schema.csvgz.1: must be an object",
    ],
  ],
  [
    "more than 20 faults in the schema",
    { schema: both(Array.from({ length: 12 }, (_, i) => ({ name: `column ${i}` }))) },
    [
      ...Array.from({ length: 12 }, (_, i) => `metadata: schema.csvgz.${i}: "type" is missing`),
      ...Array.from({ length: 8 }, (_, i) => `metadata: schema.mmdb.${i}: "type" is missing`),
      "metadata: stopped after 20 faults",
    ],
  ],
  [
    "more unknown formats than the validator reports",
    { schema: Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`format${i}`, []])) },
    ["metadata: does not match the schema of a metadata document"],
  ],
  [
    "thousands of sample rows",
    { sample: { csvgz: Array(5000).fill({}) } },
    ["metadata: sample.csvgz has 5000 rows, at most 100 are allowed"],
  ],
  [
    "a sample without any of thousands of columns",
    { schema: both(columns(...manyNames)), sample: { csvgz: Array(100).fill({}) } },
    [
      ...manyNames.slice(0, 20).map((name) => `metadata: sample.csvgz, row 1: "${name}" is missing`),
      "metadata: stopped after 20 faults",
      expect.stringMatching(/^csvgz: header is "network,provider", metadata says "c0,c1,/),
    ],
  ],
  [
    "no fields at all",
    (valid) => ({ ...valid, document: Buffer.from("{}") }),
    ["id", "updated", "entries", "schema", "size"].map((name) => `metadata: "${name}" is missing`),
  ],
  [
    "a document that is not an object",
    (valid) => ({ ...valid, document: Buffer.from("7") }),
    ["metadata: must be an object"],
  ],
  [
    "a document that is not JSON",
    (valid) => ({ ...valid, document: Buffer.from("{") }),
    [expect.stringMatching(/^metadata: not valid JSON: /)],
  ],
  [
    "a document that is not UTF-8",
    (valid) => ({ ...valid, document: Buffer.from('{"id":"\xff"}', "latin1") }),
    ["metadata: not valid UTF-8"],
  ],
  [
    "a document of more than a MiB",
    (valid) => ({ ...valid, document: Buffer.concat([valid.document, Buffer.alloc(1024 * 1024, " ")]) }),
    ["metadata: larger than 1048576 bytes"],
  ],
  ["a missing file", (valid) => without(valid, "mmdb"), ["mmdb: the file is missing"]],
  ["no files", (valid) => ({ ...valid, files: {} }), ["csvgz: the file is missing", "mmdb: the file is missing"]],
  [
    "truncated files",
    (valid) => withFiles(valid, (bytes) => bytes.subarray(0, -1)),
    [
      "csvgz: the gzip data is truncated",
      expect.stringMatching(/^csvgz: has \d+ bytes, metadata says \d+$/),
      "mmdb: invalid metadata: it is truncated",
      expect.stringMatching(/^mmdb: has \d+ bytes, metadata says \d+$/),
    ],
  ],
  [
    "swapped files",
    ({ document, files }) => ({ document, files: { csvgz: files.mmdb as Buffer, mmdb: files.csvgz as Buffer } }),
    [
      "csvgz: not a gzip file",
      expect.stringMatching(/^csvgz: has/),
      "mmdb: no MaxMind DB metadata at the end: the file is truncated or not an mmdb",
      expect.stringMatching(/^mmdb: has/),
    ],
  ],
  [
    "empty files",
    (valid) => withFiles(valid, () => Buffer.alloc(0)),
    [
      "csvgz: the file is empty",
      expect.stringMatching(/^csvgz: has 0 bytes/),
      "mmdb: the file is empty",
      expect.stringMatching(/^mmdb: has 0 bytes/),
    ],
  ],
  [
    "an mmdb whose metadata expands to billions of values",
    (valid) => ({
      ...valid,
      files: { ...valid.files, mmdb: Buffer.concat([MMDB_MARKER, nestedPointers(7, 28, [0x41, 0x61])]) },
    }),
    ["mmdb: invalid metadata: it has more than 10000 values", expect.stringMatching(/^mmdb: has/)],
  ],
  [
    "a row with an extra cell",
    (valid) => ({ ...valid, files: { ...valid.files, csvgz: gzipSync(`${csvOf(99)}a,b,c\n`) } }),
    [
      "csvgz: line 200: 3 cells, but the header has 2",
      expect.stringMatching(/^csvgz: has \d+ bytes, metadata says \d+$/),
    ],
  ],
];

function without({ document, files }: SampleBuild, format: Format): SampleBuild {
  const { [format]: _, ...rest } = files;
  return { document, files: rest };
}

function withFiles({ document, files }: SampleBuild, change: (bytes: Buffer) => Buffer): SampleBuild {
  const changed: ByFormat<Buffer> = {};
  for (const [format, bytes] of Object.entries(files)) changed[format as Format] = change(bytes);
  return { document, files: changed };
}

describe("publishing a faulty build", () => {
  let depot: Depot;
  beforeAll(async () => {
    depot = await Depot.open(eitherStage()[0] as Stage);
    await depot.addVersion(ID);
    await depot.addVersion("vpn_provider_v1", ["csvgz"]);
    await depot.publish(ID, sampleBuild(ID, { mark: "valid" }));
  });
  afterAll(() => depot.dispose());

  async function faultsOf(id: string, wrong: SampleBuild): Promise<readonly string[]> {
    const before = await depot.everything();
    // Force does not override faults.
    const error = await depot.publish(id, wrong, { force: true }).catch((refused) => refused);
    expect(error).toBeInstanceOf(BuildRefused);
    expect(error).toMatchObject({ reason: "faulty", kind: "invalid", message: error.faults.join("\n") });
    expect(await depot.everything()).toEqual(before);
    return error.faults;
  }

  it.each(FAULTY)("refuses %s with every fault, and changes nothing", async (_, wrong, faults) => {
    const built = typeof wrong === "function" ? wrong(sampleBuild(ID)) : sampleBuild(ID, { overrides: wrong ?? {} });
    expect(await faultsOf(ID, built)).toEqual(faults);
    await depot.expectServed(ID);
  });

  it("refuses a format that the version does not have", async () => {
    const fault = "vpn_provider_v1 has no mmdb because it is keyed by provider id";
    expect(await faultsOf("vpn_provider_v1", sampleBuild("vpn_provider_v1"))).toEqual([
      `metadata: schema.mmdb: ${fault}`,
      `metadata: size.mmdb: ${fault}`,
      `metadata: sample.mmdb: ${fault}`,
      `mmdb: ${fault}`,
    ]);
  });

  it("adds no warnings if the document is invalid", async () => {
    const invalid = { ...sampleBuild(ID), document: Buffer.from("7") };
    const error = await depot.publish(ID, invalid).catch((refused) => refused);
    expect(error.faults).toEqual(["metadata: must be an object"]);
  });

  it("reports faults and warnings together, so that one corrected upload is enough", async () => {
    const wrong = sampleBuild(ID, { rows: 10, updated: "2026-10-01", overrides: { id: "other_v1" } });
    const error = await depot.publish(ID, wrong).catch((refused) => refused);
    expect(error.faults).toEqual([
      "metadata: id is other_v1, expected vpn_ip_v1",
      "the new build has 10 rows, 90 % fewer than the current one, which has 100 rows",
      expect.stringMatching(/^the new csvgz file has/),
      "the new build is dated 2026-10-01, but the current one is newer: 2026-11-01",
    ]);
  });
});
