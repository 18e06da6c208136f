import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { checksumsOf } from "../../../../../rigs/harness/service/test-service.ts";
import { returnWorker, takeWorker } from "../../../src/domain/builds/inspection/idle-worker.ts";
import { Inspection } from "../../../src/domain/builds/inspection/inspection.ts";
import { csvOf, inChunks, mmdbOf } from "./sample-build.ts";

const MIB = 1024 * 1024;

type Limits = ConstructorParameters<typeof Inspection>[1];

async function inspectWithin(limits: Limits, format: "csvgz" | "mmdb", bytes: Buffer) {
  await using inspection = new Inspection(format, limits);
  await inspection.write(bytes);
  return await inspection.end();
}

async function inspect(format: "csvgz" | "mmdb", bytes: Buffer, ...chunkSizes: number[]) {
  await using inspection = new Inspection(format);
  for (const chunk of inChunks(bytes, ...chunkSizes)) await inspection.write(chunk);
  return await inspection.end();
}

describe("Inspection", () => {
  it.each([0, 1, MIB - 1, MIB, MIB + 1, 9 * MIB + 12_345])("computes the four digests of %i bytes", async (length) => {
    const bytes = randomBytes(length);
    for (const sizes of [[65_536], [3 * MIB, 1, MIB]]) {
      const { sizeBytes, checksums } = await inspect("mmdb", bytes, ...sizes);
      expect({ sizeBytes, checksums }).toEqual({ sizeBytes: length, checksums: checksumsOf(bytes) });
    }
  });

  it("reports on each format", async () => {
    const csvgz = gzipSync(csvOf(100_000));
    expect(await inspect("csvgz", csvgz, 10_000)).toEqual({
      sizeBytes: csvgz.length,
      checksums: checksumsOf(csvgz),
      report: { faults: [], table: { header: ["network", "provider"], entries: 100_000 }, isReproducible: true },
    });
    expect((await inspect("mmdb", mmdbOf("x"), 10_000)).report).toEqual({ faults: [], table: null });
    expect((await inspect("mmdb", csvgz)).report.faults).toHaveLength(1);
    expect((await inspect("csvgz", mmdbOf("x"))).report.faults).toEqual(["not a gzip file"]);
  });

  it("reads a file to its end even if its first bytes are invalid", async () => {
    const bytes = randomBytes(20 * MIB);
    const { checksums, report } = await inspect("csvgz", bytes, 65_536);
    expect(checksums).toEqual(checksumsOf(bytes));
    expect(report).toEqual({ faults: ["not a gzip file"], table: null });
  });

  it("copies the bytes, so that the caller can reuse its memory", async () => {
    const bytes = Buffer.alloc(MIB, "a");
    await using inspection = new Inspection("mmdb");
    for (let i = 0; i < 20; i += 1) {
      await inspection.write(bytes.fill(String.fromCharCode(97 + i)));
    }
    const all = Buffer.concat(Array.from({ length: 20 }, (_, i) => Buffer.alloc(MIB, String.fromCharCode(97 + i))));
    expect((await inspection.end()).checksums).toEqual(checksumsOf(all));
  });

  it("can be disposed of at any time", async () => {
    const inspection = new Inspection("csvgz");
    await inspection.write(randomBytes(2 * MIB));
    await inspection[Symbol.asyncDispose]();
    await expect(inspection.end()).rejects.toThrow("aborted");
  });

  it("leaves its worker to the next file, unless it ended early", async () => {
    await inspect("mmdb", mmdbOf("x"));
    const worker = takeWorker(128);
    await returnWorker(worker);
    await inspect("csvgz", gzipSync(csvOf(10)));
    expect(takeWorker(128)).toBe(worker);
    await returnWorker(worker);
    const unfinished = new Inspection("mmdb");
    await unfinished[Symbol.asyncDispose]();
    const other = takeWorker(128);
    expect(other).not.toBe(worker);
    await other.terminate();
  });

  it("refuses a file that takes too long", async () => {
    const refused = inspectWithin({ chunkTimeoutMs: 1 }, "mmdb", randomBytes(8 * MIB));
    await expect(refused).rejects.toMatchObject({
      reason: "faulty",
      faults: ["mmdb: refused because its inspection takes more than 0.001 s for 1 MiB"],
    });
  });

  it("refuses a file that takes too much memory", async () => {
    // A worker needs more than 5 MB for any file.
    await expect(inspectWithin({ workerMemoryMb: 5 }, "csvgz", gzipSync(csvOf(100_000)))).rejects.toMatchObject({
      reason: "faulty",
      faults: ["csvgz: refused because its inspection takes more than 5 MB of memory"],
    });
  });
});
