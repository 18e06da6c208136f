import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { layoutOf } from "@dbdepot/formats/mmdb/layout";
import { lookUp } from "@dbdepot/formats/mmdb/lookup";
import { RECORD_SIZES_BITS } from "@dbdepot/formats/mmdb/node-records";
import fc from "fast-check";
import maxmind, { type Response } from "maxmind";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../../rigs/harness/needs.ts";
import type { Value } from "../../src/mmdb/value.ts";
import { buildMmdb, numbered } from "./build-mmdb.ts";
import { PlainList, toPlace, toText } from "./plain-list.ts";
import { anyRange } from "./random-ranges.ts";

// Checks files with independent readers: libmaxminddb through its command, and the npm package most customers use.

const run = promisify(execFile);
const MMDBLOOKUP = "mmdblookup";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "dbdepot-mmdb-"));
});
afterAll(() => rm(dir, { recursive: true }));

async function save(file: Buffer): Promise<string> {
  const path = join(dir, "database.mmdb");
  await writeFile(path, file);
  return path;
}

async function mmdblookup(path: string, ip: string, ...options: string[]): Promise<string> {
  try {
    const { stdout } = await run(MMDBLOOKUP, ["--file", path, "--ip", ip, ...options]);
    return stdout.replace(/\s+/g, " ").trim();
  } catch (error) {
    // It exits with 6 if an address has no record.
    if ((error as { code?: number }).code === 6) return "none";
    throw error;
  }
}

const ALL_TYPES: Value = {
  type: "map",
  value: [
    ["string", { type: "string", value: "Zürich ☃" }],
    ["double", { type: "double", value: 42.123456 }],
    ["bytes", { type: "bytes", value: Buffer.from("00ff10", "hex") }],
    ["uint16", { type: "uint16", value: 65_535 }],
    ["uint32", { type: "uint32", value: 4_294_967_295 }],
    ["int32", { type: "int32", value: -268_435_456 }],
    ["uint64", { type: "uint64", value: 2n ** 64n - 1n }],
    ["uint128", { type: "uint128", value: 2n ** 120n }],
    ["boolean", { type: "boolean", value: true }],
    ["float", { type: "float", value: 1.5 }],
    ["array", { type: "array", value: [1, 2].map((value) => ({ type: "uint32", value })) }],
    ["map", { type: "map", value: [["string", { type: "string", value: "Zürich ☃" }]] }],
  ],
};

describe("mmdblookup", needs("mmdblookup"), () => {
  it.each(RECORD_SIZES_BITS)("finds the same as a plain list, with records of %i bits", async (recordSizeBits) => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyRange, { minLength: 1, maxLength: 12 }), async (ranges) => {
        const list = new PlainList(ranges);
        const built = buildMmdb(numbered(ranges.map((range) => toPlace(range, false))), recordSizeBits);
        const path = await save(built.file);
        const probes = list.edges().filter(({ family }) => family <= built.ipVersion);
        for (const probe of probes.slice(0, 12)) {
          const row = list.rowOf(probe);
          expect(await mmdblookup(path, toText(probe))).toBe(row === undefined ? "none" : `{ "row": ${row} <uint32> }`);
        }
      }),
      { numRuns: 5 },
    );
  });

  it("finds addresses in shared subtrees", async () => {
    const record = { type: "string", value: "proxy" } as const;
    const places = Array.from({ length: 64 }, (_, i): [string, Value] => [`10.${i}.7.0/24`, record]);
    const path = await save(buildMmdb([...places, ["2001:db8::/32", record]]).file);
    expect(await mmdblookup(path, "10.63.7.9")).toBe('"proxy" <utf8_string>');
    expect(await mmdblookup(path, "10.0.7.9", "--verbose")).toContain("Record prefix length: 120");
    expect(await mmdblookup(path, "10.63.8.9")).toBe("none");
    const reader = await maxmind.open<Response>(path);
    expect(reader.getWithPrefixLength("10.31.7.1")).toEqual(["proxy", 24]);
    expect(reader.get("10.31.6.255")).toBeNull();
    const { size } = await stat(path);
    const lookedUp = await lookUp(
      layoutOf(await readFile(path), size),
      Buffer.from([10, 31, 7, 1]),
      async (first, last) => (await readFile(path)).subarray(first, last + 1),
    );
    expect(lookedUp).toEqual({ prefixLength: 120, record: "proxy" });
  });

  it("reads every type", async () => {
    const path = await save(buildMmdb([["10.0.0.0/8", ALL_TYPES]]).file);
    expect(await mmdblookup(path, "10.0.0.1")).toBe(
      '{ "string": "Zürich ☃" <utf8_string> "double": 42.123456 <double> "bytes": 00FF10 <bytes> ' +
        '"uint16": 65535 <uint16> "uint32": 4294967295 <uint32> "int32": -268435456 <int32> ' +
        '"uint64": 18446744073709551615 <uint64> "uint128": 0x01000000000000000000000000000000 <uint128> ' +
        '"boolean": true <boolean> "float": 1.500000 <float> "array": [ 1 <uint32> 2 <uint32> ] ' +
        '"map": { "string": "Zürich ☃" <utf8_string> } }',
    );
  });

  it("reads the metadata", async () => {
    const path = await save(buildMmdb(numbered(["10.0.0.0/8", "2001:db8::/32"])).file);
    const output = await mmdblookup(path, "10.0.0.1", "--verbose");
    expect(output).toContain("Record size: 24 bits IP version: IPv6 Binary format: 2.0");
    expect(output).toContain("Build epoch: 1767312000 (2026-01-02 00:00:00 UTC) Type: test_v1 Languages: en");
    expect(output).toContain("Description: en: A test");
    expect(output).toContain("Record prefix length: 104");
  });

  it("opens a file without networks, and one with only 0.0.0.0/0", async () => {
    expect(await mmdblookup(await save(buildMmdb([]).file), "1.2.3.4")).toBe("none");
    expect(await mmdblookup(await save(buildMmdb(numbered(["0.0.0.0/0"])).file), "1.2.3.4")).toBe(
      '{ "row": 0 <uint32> }',
    );
  });
});

describe("maxmind", () => {
  it("reads the file", async () => {
    const path = await save(
      buildMmdb([
        ["10.0.0.0/8", ALL_TYPES],
        ["2001:db8::/32", ALL_TYPES],
      ]).file,
    );
    const reader = await maxmind.open<Response>(path);
    expect(reader.get("10.1.2.3")).toMatchObject({
      string: "Zürich ☃",
      uint128: 2n ** 120n,
      map: { string: "Zürich ☃" },
    });
    expect(reader.get("2001:db8::1")).toEqual(reader.get("10.1.2.3"));
    expect(reader.get("11.0.0.0")).toBeNull();
    expect(reader.metadata).toMatchObject({
      buildEpoch: new Date("2026-01-02"),
      databaseType: "test_v1",
      ipVersion: 6,
    });
  });
});

describe("the record size", () => {
  const megabytes = (count: number) =>
    Array.from({ length: count }, (_, i): [string, Value] => [
      `10.0.0.${i}/32`,
      { type: "string", value: `${i}`.padEnd(1 << 20, ".") },
    ]);

  it("is the smallest that fits", async () => {
    expect(buildMmdb(megabytes(1)).recordSizeBits).toBe(24);
    const built = buildMmdb(megabytes(17));
    expect(built.recordSizeBits).toBe(28);
    const reader = await maxmind.open<Response>(await save(built.file));
    expect(String(reader.get("10.0.0.16")).slice(0, 3)).toBe("16.");
  });

  it("is refused if it is too small", () => {
    expect(() => buildMmdb(megabytes(17), 24)).toThrow("too large for records of 24 bits");
  });
});
