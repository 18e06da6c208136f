import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { GzippedCsv } from "../../src/builds/inspection/gzipped-csv.ts";
import { csvOf, inPieces } from "./made.ts";

async function lookAt(bytes: Buffer, ...pieceSizes: number[]) {
  const csv = new GzippedCsv();
  for (const piece of inPieces(bytes, ...pieceSizes)) await csv.take(piece);
  return csv.end();
}

const text = csvOf(2000);
const packed = gzipSync(text);
const sound = { faults: [], table: { header: ["network", "provider"], entries: 2000 } };

describe("a csv.gz", () => {
  it("is read to its end, in pieces of any size", async () => {
    for (const size of [packed.length, 1000, 7]) expect(await lookAt(packed, size)).toEqual(sound);
  });

  it("may have several members, as parallel packers make them", async () => {
    const [head, rest] = [text.slice(0, 500), text.slice(500)];
    const members = Buffer.concat([gzipSync(head), gzipSync(""), gzipSync(rest)]);
    for (const size of [members.length, 1000, 1]) expect(await lookAt(members, size)).toEqual(sound);
  });

  it("that is cut off anywhere is refused", async () => {
    const small = gzipSync(csvOf(3));
    for (let length = 1; length < small.length; length += 1) {
      const { faults, table } = await lookAt(small.subarray(0, length));
      expect([length, faults, table]).toEqual([length, [expect.any(String)], null]);
    }
    expect((await lookAt(packed.subarray(0, -1))).faults).toEqual(["the gzip data ends early: the file is cut off"]);
    const secondCut = Buffer.concat([packed, packed.subarray(0, 100)]);
    for (const size of [secondCut.length, 100, packed.length]) {
      expect((await lookAt(secondCut, size)).faults).toEqual(["the gzip data ends early: the file is cut off"]);
    }
  });

  it.each([
    ["text", Buffer.from("garbage"), "something that is no gzip data stands behind its end"],
    ["zeros", Buffer.alloc(20), "20 bytes stand behind the end of the gzip data"],
    ["zeros and another member", Buffer.concat([Buffer.alloc(9), packed]), "bytes stand behind the end"],
  ])("with %s behind its end is refused", async (_, garbage, fault) => {
    const bytes = Buffer.concat([packed, garbage]);
    for (const size of [bytes.length, packed.length, 100]) {
      expect(await lookAt(bytes, size)).toEqual({ faults: [expect.stringContaining(fault)], table: null });
    }
  });

  it("with a wrong checksum or length is refused", async () => {
    for (const [fromEnd, fault] of [
      [8, "the gzip data is damaged (incorrect data check)"],
      [1, "the gzip data is damaged (incorrect length check)"],
    ] as const) {
      const damaged = Buffer.from(packed);
      damaged[damaged.length - fromEnd] = (damaged.at(-fromEnd) ?? 0) ^ 1;
      expect((await lookAt(damaged, 100)).faults).toEqual([fault]);
    }
  });

  it("that is none is refused, and the rest of it is only counted", async () => {
    expect((await lookAt(Buffer.alloc(0))).faults).toEqual(["the file is empty"]);
    expect((await lookAt(Buffer.from(text), 100)).faults).toEqual(["this is no gzip file"]);
  });

  it("whose text is faulty is told by its lines", async () => {
    const { faults, table } = await lookAt(gzipSync("a,b\n1\n"));
    expect(faults).toEqual(["line 2: 1 cell, but the header has 2"]);
    expect(table?.entries).toBe(1);
  });
});
