import { gzipSync } from "node:zlib";
import type { ByFormat, Format } from "@dbdepot/contract/formats";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BuildRefused } from "../../src/builds/refusal.ts";
import { stages } from "../stages.ts";
import { Depot } from "./depot.ts";
import { csvOf, type Made, type MakeOptions, made } from "./made.ts";

const ID = "vpn_ip_v1";
const columns = (...names: string[]) => names.map((name) => ({ name, type: "string" }));
const both = <T>(value: T) => ({ csvgz: value, mmdb: value });

/** What is wrong, what makes it so, and all that is told. */
const WRONG: [string, MakeOptions["saying"] | ((sound: Made) => Made), unknown[]][] = [
  ["another id", { id: "vpn_ip_v2" }, ["metadata: id: it is about vpn_ip_v2, not vpn_ip_v1"]],
  ["a wrong number of rows", { entries: 99 }, ["csvgz: it has 100 rows, and the metadata says 99"]],
  [
    "wrong sizes",
    { size: { csvgz: 1, mmdb: 2 } },
    [
      expect.stringMatching(/^csvgz: it has \d+ bytes, and the metadata says 1$/),
      expect.stringMatching(/^mmdb: it has \d+ bytes, and the metadata says 2$/),
    ],
  ],
  [
    "a schema with other columns",
    { schema: both(columns("provider", "network")) },
    ['csvgz: its header is "network,provider", and the schema has "provider,network"'],
  ],
  [
    "a schema with a column more",
    { schema: { csvgz: columns("network", "provider", "asn"), mmdb: columns("network", "provider") } },
    [
      'metadata: sample: row 1 of csvgz has no "asn"',
      'csvgz: its header is "network,provider", and the schema has "network,provider,asn"',
    ],
  ],
  [
    "sample rows of another shape",
    { sample: { csvgz: [{ network: 1 }, { network: 1, provider: 2, asn: 3 }], mmdb: [] } },
    [
      'metadata: sample: row 1 of csvgz has no "provider"',
      'metadata: sample: row 2 of csvgz has "asn", which is not in the schema',
    ],
  ],
  [
    "a format missing in the document",
    { schema: { csvgz: columns("network", "provider") }, size: {}, sample: undefined },
    [
      "metadata: schema: mmdb is missing, and vpn_ip_v1 is built in it",
      "metadata: size: csvgz is missing, and vpn_ip_v1 is built in it",
      "metadata: size: mmdb is missing, and vpn_ip_v1 is built in it",
    ],
  ],
  [
    "all fields of the wrong type",
    { id: 1, update_freq: 2, updated: "yesterday", entries: "100", schema: [], sample: "none", size: { csvgz: -1 } },
    [
      "metadata: id: must be a text",
      "metadata: update_freq: must be a text",
      "metadata: updated: must be a day, YYYY-MM-DD",
      "metadata: entries: must be a whole number",
      "metadata: schema: must be an object",
      "metadata: sample: must be an object",
      "metadata: size.csvgz: must be >= 0",
    ],
  ],
  ["a day that is none", { updated: "2026-02-30" }, ["metadata: updated: must be a day, YYYY-MM-DD"]],
  [
    "columns and formats that are none",
    { schema: { csvgz: [{ name: "" }, 7], mmdb: [], parquet: [] } },
    [
      'metadata: schema: "parquet" does not belong here',
      'metadata: schema.csvgz.0: "type" is missing',
      "metadata: schema.csvgz.0.name: must not have fewer than 1 characters",
      "metadata: schema.csvgz.1: must be an object",
    ],
  ],
  [
    "more faults than one would count",
    { schema: both(Array.from({ length: 12 }, (_, i) => ({ name: `column ${i}` }))) },
    ["csvgz", "mmdb"].flatMap((format) =>
      Array.from({ length: 12 }, (_, i) => `metadata: schema.${format}.${i}: "type" is missing`),
    ),
  ],
  [
    "no fields at all",
    (sound) => ({ ...sound, document: Buffer.from("{}") }),
    ["id", "updated", "entries", "schema", "size"].map((name) => `metadata: "${name}" is missing`),
  ],
  [
    "a document that is no object",
    (sound) => ({ ...sound, document: Buffer.from("7") }),
    ["metadata: must be an object"],
  ],
  [
    "a document that is no JSON",
    (sound) => ({ ...sound, document: Buffer.from("{") }),
    [expect.stringMatching(/^metadata: it is not JSON: /)],
  ],
  [
    "a document that is not UTF-8",
    (sound) => ({ ...sound, document: Buffer.from('{"id":"\xff"}', "latin1") }),
    ["metadata: it is not UTF-8"],
  ],
  [
    "a document of more than a MiB",
    (sound) => ({ ...sound, document: Buffer.concat([sound.document, Buffer.alloc(1024 * 1024, " ")]) }),
    ["metadata: it is larger than 1048576 bytes"],
  ],
  ["a file missing", (sound) => without(sound, "mmdb"), ["mmdb: there is no such file, and vpn_ip_v1 is built in it"]],
  [
    "no file",
    (sound) => ({ ...sound, files: {} }),
    [
      "csvgz: there is no such file, and vpn_ip_v1 is built in it",
      "mmdb: there is no such file, and vpn_ip_v1 is built in it",
    ],
  ],
  [
    "files that are cut off",
    (sound) => withFiles(sound, (bytes) => bytes.subarray(0, -1)),
    [
      "csvgz: the gzip data ends early: the file is cut off",
      expect.stringMatching(/^csvgz: it has \d+ bytes, and the metadata says \d+$/),
      "mmdb: its metadata cannot be read: it ends early",
      expect.stringMatching(/^mmdb: it has \d+ bytes, and the metadata says \d+$/),
    ],
  ],
  [
    "files in each other's place",
    ({ document, files }) => ({ document, files: { csvgz: files.mmdb as Buffer, mmdb: files.csvgz as Buffer } }),
    [
      "csvgz: this is no gzip file",
      expect.stringMatching(/^csvgz: it has/),
      "mmdb: no MaxMind DB metadata stands at its end: it is cut off, or no mmdb at all",
      expect.stringMatching(/^mmdb: it has/),
    ],
  ],
  [
    "empty files",
    (sound) => withFiles(sound, () => Buffer.alloc(0)),
    [
      "csvgz: the file is empty",
      expect.stringMatching(/^csvgz: it has 0 bytes/),
      "mmdb: the file is empty",
      expect.stringMatching(/^mmdb: it has 0 bytes/),
    ],
  ],
  [
    "a row with a cell too many",
    (sound) => ({ ...sound, files: { ...sound.files, csvgz: gzipSync(`${csvOf(99)}a,b,c\n`) } }),
    [
      "csvgz: line 200: 3 cells, but the header has 2",
      expect.stringMatching(/^csvgz: it has \d+ bytes, and the metadata says \d+$/),
    ],
  ],
];

function without({ document, files }: Made, format: Format): Made {
  const { [format]: _, ...rest } = files;
  return { document, files: rest };
}

function withFiles({ document, files }: Made, change: (bytes: Buffer) => Buffer): Made {
  const changed: ByFormat<Buffer> = {};
  for (const [format, bytes] of Object.entries(files)) changed[format as Format] = change(bytes);
  return { document, files: changed };
}

for (const stage of stages()) {
  describe(`refused on ${stage.name}`, () => {
    let depot: Depot;
    beforeAll(async () => {
      depot = await Depot.open(stage);
      await depot.addVersion(ID);
      await depot.addVersion("vpn_provider_v1", ["csvgz"]);
      await depot.publish(ID, made(ID, { mark: "sound" }));
    });
    afterAll(() => depot.dispose());

    async function faultsOf(id: string, wrong: Made): Promise<readonly string[]> {
      const before = await depot.everything();
      // It does not help to insist.
      const error = await depot.publish(id, wrong, { force: true }).catch((refused) => refused);
      expect(error).toBeInstanceOf(BuildRefused);
      expect(error).toMatchObject({ reason: "faulty", kind: "invalid", message: error.faults.join("\n") });
      expect(await depot.everything()).toEqual(before);
      return error.faults;
    }

    it.each(WRONG)("%s: every fault is told, and nothing has changed", async (_, wrong, faults) => {
      const built = typeof wrong === "function" ? wrong(made(ID)) : made(ID, { saying: wrong ?? {} });
      expect(await faultsOf(ID, built)).toEqual(faults);
      await depot.expectServed(ID);
    });

    it("a format too many", async () => {
      const fault = "vpn_provider_v1 is not built in mmdb: it is keyed by provider id and has no addresses";
      expect(await faultsOf("vpn_provider_v1", made("vpn_provider_v1"))).toEqual([
        `metadata: schema: ${fault}`,
        `metadata: size: ${fault}`,
        `metadata: sample: ${fault}`,
        `mmdb: ${fault}`,
      ]);
    });

    it("a document that cannot be read is no reason for doubts besides", async () => {
      const unread = { ...made(ID), document: Buffer.from("7") };
      const error = await depot.publish(ID, unread).catch((refused) => refused);
      expect(error.faults).toEqual(["metadata: must be an object"]);
    });

    it("what is wrong comes with what is suspicious, so that nobody sends gigabytes a third time", async () => {
      const wrong = made(ID, { rows: 10, updated: "2026-10-01", saying: { id: "other_v1" } });
      const error = await depot.publish(ID, wrong).catch((refused) => refused);
      expect(error.faults).toEqual([
        "metadata: id: it is about other_v1, not vpn_ip_v1",
        "it has 10 rows, and the current build has 100: needs --force",
        expect.stringMatching(/^its csvgz has/),
        "it is of 2026-10-01, and the current build is of 2026-11-01: needs --force",
      ]);
    });
  });
}
