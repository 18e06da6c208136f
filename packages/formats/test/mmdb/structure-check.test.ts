import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inChunks, mmdbMetadata, mmdbOf } from "../../../server/test/domain/builds/sample-build.ts";
import { MmdbStructureCheck } from "../../src/mmdb/structure-check.ts";

const MARKER = Buffer.from("\xab\xcd\xefMaxMind.com", "latin1");

function faultsOf(bytes: Buffer, ...chunkSizes: number[]): string[] {
  const check = new MmdbStructureCheck();
  for (const chunk of inChunks(bytes, ...chunkSizes)) check.update(chunk);
  return check.end().faults;
}

const valid = mmdbOf("text");

describe("a valid mmdb", () => {
  it("has no faults, whatever the chunk size", () => {
    for (const size of [valid.length, 70_000, 100, 17, 16, 15, 1]) expect(faultsOf(valid, size)).toEqual([]);
  });

  it("may have zeros before and after the separator, and more of them in its data", () => {
    const nodes = Buffer.alloc(6 * 100, 1);
    nodes.fill(0, nodes.length - 5);
    const file = (data: Buffer) =>
      Buffer.concat([nodes, Buffer.alloc(16), data, mmdbMetadata({ nodeCount: 100, recordSizeBits: 24 })]);
    expect(faultsOf(file(Buffer.alloc(5000)), 7)).toEqual([]);
    expect(faultsOf(file(Buffer.concat([Buffer.from([0x41]), Buffer.alloc(100)])))).toEqual([]);
    expect(faultsOf(file(Buffer.alloc(0)))).toEqual([]);
  });

  it("may be larger than the part that is kept in memory", () => {
    const nodes = Buffer.alloc(8 * 100_000, 7);
    const data = Buffer.alloc(3_000_000, 9);
    const metadata = mmdbMetadata({ nodeCount: 100_000, recordSizeBits: 32 });
    const file = Buffer.concat([nodes, Buffer.alloc(16), data, metadata]);
    for (const size of [file.length, 1 << 20, 4097]) expect(faultsOf(file, size)).toEqual([]);
    const small = Buffer.concat([nodes.subarray(0, 8), Buffer.alloc(16), data.subarray(0, 300_000)]);
    expect(faultsOf(Buffer.concat([small, mmdbMetadata({ nodeCount: 1, recordSizeBits: 32 })]), 61)).toEqual([]);
  });
});

describe("an invalid mmdb", () => {
  it("is refused if it is truncated anywhere", () => {
    for (let length = 0; length < 60; length += 1)
      expect([length, faultsOf(valid.subarray(0, length)).length]).toEqual([length, 1]);
    const metadataOffset = valid.lastIndexOf(MARKER);
    for (let length = metadataOffset - 5; length < valid.length; length += 1) {
      expect([length, faultsOf(valid.subarray(0, length)).length > 0]).toEqual([length, true]);
    }
  });

  it("is refused if it lost or gained bytes", () => {
    const without = (from: number, count: number) =>
      Buffer.concat([valid.subarray(0, from), valid.subarray(from + count)]);
    const fault = "the search tree does not end at byte 6: bytes are missing, added or overwritten";
    expect(faultsOf(without(2, 1))).toEqual([fault]);
    expect(faultsOf(without(10, 1))).toEqual([fault]);
    expect(faultsOf(Buffer.concat([valid.subarray(0, 3), Buffer.from("added"), valid.subarray(3)]))).toEqual([fault]);
    const zeroed = mmdbOf("x", { nodeCount: 3000 });
    zeroed.fill(1, 0, 18_000).fill(0, 500, 600).fill(0, 18_000, 18_016);
    expect(faultsOf(zeroed)).toEqual([
      "the search tree does not end at byte 18000: bytes are missing, added or overwritten",
    ]);
  });

  it("is refused if its tree would overlap its metadata", () => {
    expect(faultsOf(mmdbOf("x", { nodeCount: 50_000 }))).toEqual([
      expect.stringMatching(/^the search tree has 300000 bytes, but the metadata starts at byte \d+$/),
    ]);
  });

  it("is refused with every fault of its metadata", () => {
    const file = (metadata: Buffer) => Buffer.concat([valid.subarray(0, valid.lastIndexOf(MARKER)), metadata]);
    expect(faultsOf(file(mmdbMetadata({ nodeCount: 0, recordSizeBits: 20 })))).toEqual([
      "record_size is 20, expected one of 24, 28, 32",
      "node_count is 0, expected 1 or more",
    ]);
    const empty = file(Buffer.concat([MARKER, Buffer.from([0xe0])]));
    expect(faultsOf(empty)).toEqual([
      "binary_format_major_version is missing, expected 2",
      "record_size is missing, expected one of 24, 28, 32",
      "node_count is missing, expected 1 or more",
      "ip_version is missing, expected 4 or 6",
      "database_type is missing",
      "build_epoch is missing",
    ]);
    expect(faultsOf(file(Buffer.concat([MARKER, Buffer.from([0x41, 0x61])])))).toEqual([
      "invalid metadata: it is not a map",
    ]);
  });

  it("is refused if it is empty or another kind of file", () => {
    expect(faultsOf(Buffer.alloc(0))).toEqual(["the file is empty"]);
    const fault = "no MaxMind DB metadata at the end: the file is truncated or not an mmdb";
    expect(faultsOf(randomBytes(300_000), 1000)).toEqual([fault]);
    // Readers search only the last 128 KiB.
    expect(faultsOf(Buffer.concat([valid, Buffer.alloc(128 * 1024)]))).toEqual([fault]);
  });

  it("is refused whatever follows the metadata marker", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(faultsOf(Buffer.concat([valid.subarray(0, 500), MARKER, bytes])).length).toBeGreaterThan(0);
      }),
    );
  });
});
