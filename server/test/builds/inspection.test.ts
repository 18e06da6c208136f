import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { Inspection } from "../../src/builds/inspection/inspection.ts";
import { checksumsOf } from "../test-service.ts";
import { csvOf, inPieces, mmdbOf } from "./made.ts";

const MIB = 1024 * 1024;

async function inspect(format: "csvgz" | "mmdb", bytes: Buffer, ...pieceSizes: number[]) {
  await using inspection = new Inspection(format);
  for (const piece of inPieces(bytes, ...pieceSizes)) await inspection.take(piece);
  return await inspection.end();
}

describe("an inspection", () => {
  it.each([0, 1, MIB - 1, MIB, MIB + 1, 9 * MIB + 12_345])("of %i bytes gives their four digests", async (length) => {
    const bytes = randomBytes(length);
    for (const sizes of [[65_536], [3 * MIB, 1, MIB]]) {
      const { sizeBytes, checksums } = await inspect("mmdb", bytes, ...sizes);
      expect({ sizeBytes, checksums }).toEqual({ sizeBytes: length, checksums: checksumsOf(bytes) });
    }
  });

  it("finds what there is to find in each format", async () => {
    const csvgz = gzipSync(csvOf(100_000));
    expect(await inspect("csvgz", csvgz, 10_000)).toEqual({
      sizeBytes: csvgz.length,
      checksums: checksumsOf(csvgz),
      findings: { faults: [], table: { header: ["network", "provider"], entries: 100_000 } },
    });
    expect((await inspect("mmdb", mmdbOf("x"), 10_000)).findings).toEqual({ faults: [], table: null });
    expect((await inspect("mmdb", csvgz)).findings.faults).toHaveLength(1);
    expect((await inspect("csvgz", mmdbOf("x"))).findings.faults).toEqual(["this is no gzip file"]);
  });

  it("goes on to the end of a file that is broken at its beginning", async () => {
    const bytes = randomBytes(20 * MIB);
    const { checksums, findings } = await inspect("csvgz", bytes, 65_536);
    expect(checksums).toEqual(checksumsOf(bytes));
    expect(findings).toEqual({ faults: ["this is no gzip file"], table: null });
  });

  it("leaves the bytes to whoever brought them", async () => {
    const bytes = Buffer.alloc(MIB, "a");
    await using inspection = new Inspection("mmdb");
    for (let i = 0; i < 20; i += 1) {
      await inspection.take(bytes.fill(String.fromCharCode(97 + i)));
    }
    const all = Buffer.concat(Array.from({ length: 20 }, (_, i) => Buffer.alloc(MIB, String.fromCharCode(97 + i))));
    expect((await inspection.end()).checksums).toEqual(checksumsOf(all));
  });

  it("can be left at any moment", async () => {
    const inspection = new Inspection("csvgz");
    await inspection.take(randomBytes(2 * MIB));
    await inspection[Symbol.asyncDispose]();
    await expect(inspection.end()).rejects.toThrow("broken off");
  });
});
