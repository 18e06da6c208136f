import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CsvgzCheck } from "../../../src/domain/builds/inspection/csvgz-check.ts";
import { csvOf, inChunks } from "./sample-build.ts";

async function check(bytes: Buffer, ...chunkSizes: number[]) {
  const csvgz = new CsvgzCheck();
  for (const chunk of inChunks(bytes, ...chunkSizes)) await csvgz.update(chunk);
  return csvgz.end();
}

const text = csvOf(2000);
const compressed = gzipSync(text);
const valid = { faults: [], table: { header: ["network", "provider"], entries: 2000 } };

describe("CsvgzCheck", () => {
  it("reads the whole file, whatever the chunk size", async () => {
    for (const size of [compressed.length, 1000, 7]) expect(await check(compressed, size)).toEqual(valid);
  });

  it("reads files with several gzip members", async () => {
    const [head, rest] = [text.slice(0, 500), text.slice(500)];
    const members = Buffer.concat([gzipSync(head), gzipSync(""), gzipSync(rest)]);
    for (const size of [members.length, 1000, 1]) expect(await check(members, size)).toEqual(valid);
  });

  it("has a report for any bytes and for any damage, whatever the chunk size", async () => {
    const small = gzipSync(csvOf(20));
    const damaged = fc
      .record({ at: fc.nat(small.length - 1), by: fc.integer({ min: 1, max: 255 }) })
      .map(({ at, by }) => small.map((byte, index) => (index === at ? byte ^ by : byte)));
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.uint8Array(), damaged), fc.integer({ min: 1, max: 50 }), async (bytes, size) => {
        const { faults, table } = await check(Buffer.from(bytes), size);
        // Some bytes of a gzip header have no meaning for the content.
        if (faults.length === 0) expect(table?.entries).toBe(20);
      }),
    );
  });

  it("refuses a truncated file", async () => {
    const small = gzipSync(csvOf(3));
    for (let length = 1; length < small.length; length += 1) {
      const { faults, table } = await check(small.subarray(0, length));
      expect([length, faults, table]).toEqual([length, [expect.any(String)], null]);
    }
    expect((await check(compressed.subarray(0, -1))).faults).toEqual(["the gzip data is truncated"]);
    const secondTruncated = Buffer.concat([compressed, compressed.subarray(0, 100)]);
    for (const size of [secondTruncated.length, 100, compressed.length]) {
      expect((await check(secondTruncated, size)).faults).toEqual(["the gzip data is truncated"]);
    }
  });

  it.each([
    ["text", Buffer.from("garbage"), "data that is not gzip follows the end of the gzip data"],
    ["zeros", Buffer.alloc(20), "20 bytes after the end of the gzip data"],
    ["zeros and another member", Buffer.concat([Buffer.alloc(9), compressed]), "bytes after the end of the gzip data"],
  ])("refuses %s after the end of the gzip data", async (_, garbage, fault) => {
    const bytes = Buffer.concat([compressed, garbage]);
    for (const size of [bytes.length, compressed.length, 100]) {
      expect(await check(bytes, size)).toEqual({ faults: [expect.stringContaining(fault)], table: null });
    }
  });

  it("refuses a wrong checksum or length", async () => {
    for (const [fromEnd, fault] of [
      [8, "the gzip data is damaged (incorrect data check)"],
      [1, "the gzip data is damaged (incorrect length check)"],
    ] as const) {
      const damaged = Buffer.from(compressed);
      damaged[damaged.length - fromEnd] = (damaged.at(-fromEnd) ?? 0) ^ 1;
      expect((await check(damaged, 100)).faults).toEqual([fault]);
    }
  });

  it("refuses a file that is empty or not gzip", async () => {
    expect((await check(Buffer.alloc(0))).faults).toEqual(["the file is empty"]);
    expect((await check(Buffer.from(text), 100)).faults).toEqual(["not a gzip file"]);
  });

  it("reports faults of the text by line", async () => {
    const { faults, table } = await check(gzipSync("a,b\n1\n"));
    expect(faults).toEqual(["line 2: 1 cell, but the header has 2"]);
    expect(table?.entries).toBe(1);
  });

  it("refuses a gzip bomb without decompressing all of it", async () => {
    const mebibyte = Buffer.from("a\n".repeat(512 * 1024));
    const bomb = gzipSync(Buffer.concat(Array.from({ length: 80 }, () => mebibyte)));
    expect(bomb.length).toBeLessThan(100_000);
    expect(await check(bomb, 10_000)).toEqual({
      faults: ["decompresses to more than 100 times its size"],
      table: null,
    });
  });

  it("stops decompressing when the CSV check stops", async () => {
    const { faults, table } = await check(gzipSync(`a,b\n${"1\n".repeat(1_000_000)}`), 100);
    expect(faults).toHaveLength(21);
    expect(table).toBeNull();
  });
});
