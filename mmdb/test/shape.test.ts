import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inPieces, mmdbMetadata, mmdbOf } from "../../server/test/builds/made.ts";
import { decodeMmdbValue } from "../src/metadata.ts";
import { MmdbShape } from "../src/shape.ts";

const MARKER = Buffer.from("\xab\xcd\xefMaxMind.com", "latin1");

function faultsOf(bytes: Buffer, ...pieceSizes: number[]): string[] {
  const shape = new MmdbShape();
  for (const piece of inPieces(bytes, ...pieceSizes)) shape.take(piece);
  return shape.end().faults;
}

const sound = mmdbOf("text");

describe("an mmdb that is sound", () => {
  it("is sound in pieces of any size", () => {
    for (const size of [sound.length, 70_000, 100, 17, 16, 15, 1]) expect(faultsOf(sound, size)).toEqual([]);
  });

  it("may have zeros on either side of the separator, and more of them in its data", () => {
    const nodes = Buffer.alloc(6 * 100, 1);
    nodes.fill(0, nodes.length - 5);
    const file = (data: Buffer) =>
      Buffer.concat([nodes, Buffer.alloc(16), data, mmdbMetadata({ nodeCount: 100, recordSizeBits: 24 })]);
    expect(faultsOf(file(Buffer.alloc(5000)), 7)).toEqual([]);
    expect(faultsOf(file(Buffer.concat([Buffer.from([0x41]), Buffer.alloc(100)])))).toEqual([]);
    expect(faultsOf(file(Buffer.alloc(0)))).toEqual([]);
  });

  it("can be larger than what is kept of it", () => {
    const nodes = Buffer.alloc(8 * 100_000, 7);
    const data = Buffer.alloc(3_000_000, 9);
    const metadata = mmdbMetadata({ nodeCount: 100_000, recordSizeBits: 32 });
    const file = Buffer.concat([nodes, Buffer.alloc(16), data, metadata]);
    for (const size of [file.length, 1 << 20, 4097]) expect(faultsOf(file, size)).toEqual([]);
    const small = Buffer.concat([nodes.subarray(0, 8), Buffer.alloc(16), data.subarray(0, 300_000)]);
    expect(faultsOf(Buffer.concat([small, mmdbMetadata({ nodeCount: 1, recordSizeBits: 32 })]), 61)).toEqual([]);
  });
});

describe("what is wrong with an mmdb", () => {
  it("that is cut off anywhere is found", () => {
    for (let length = 0; length < 60; length += 1)
      expect([length, faultsOf(sound.subarray(0, length)).length]).toEqual([length, 1]);
    const metadataOffset = sound.lastIndexOf(MARKER);
    for (let length = metadataOffset - 5; length < sound.length; length += 1) {
      expect([length, faultsOf(sound.subarray(0, length)).length > 0]).toEqual([length, true]);
    }
  });

  it("that lost or gained bytes is found", () => {
    const without = (from: number, count: number) =>
      Buffer.concat([sound.subarray(0, from), sound.subarray(from + count)]);
    const fault = "its search tree should end at byte 6, and does not: bytes are missing, added or overwritten";
    expect(faultsOf(without(2, 1))).toEqual([fault]);
    expect(faultsOf(without(10, 1))).toEqual([fault]);
    expect(faultsOf(Buffer.concat([sound.subarray(0, 3), Buffer.from("added"), sound.subarray(3)]))).toEqual([fault]);
    const holed = mmdbOf("x", { nodeCount: 3000 });
    holed.fill(1, 0, 18_000).fill(0, 500, 600).fill(0, 18_000, 18_016);
    expect(faultsOf(holed)).toEqual([
      "its search tree should end at byte 18000, and does not: bytes are missing, added or overwritten",
    ]);
  });

  it("whose tree would reach into its metadata is found", () => {
    expect(faultsOf(mmdbOf("x", { nodeCount: 50_000 }))).toEqual([
      expect.stringMatching(/^its search tree should have 300000 bytes, and only \d+ stand before the metadata/),
    ]);
  });

  it("is found in the metadata, all of it", () => {
    const file = (metadata: Buffer) => Buffer.concat([sound.subarray(0, sound.lastIndexOf(MARKER)), metadata]);
    expect(faultsOf(file(mmdbMetadata({ nodeCount: 0, recordSizeBits: 20 })))).toEqual([
      "its record_size is 20, none of 24, 28, 32",
      "its node_count is 0, not 1 or more",
    ]);
    const empty = file(Buffer.concat([MARKER, Buffer.from([0xe0])]));
    expect(faultsOf(empty)).toEqual([
      "its binary_format_major_version is missing, not 2",
      "its record_size is missing, none of 24, 28, 32",
      "its node_count is missing, not 1 or more",
      "its ip_version is missing, neither 4 nor 6",
      "its metadata has no database_type",
      "its metadata has no build_epoch",
    ]);
    expect(faultsOf(file(Buffer.concat([MARKER, Buffer.from([0x41, 0x61])])))).toEqual([
      "its metadata cannot be read: it is no map",
    ]);
  });

  it("that is none is found", () => {
    expect(faultsOf(Buffer.alloc(0))).toEqual(["the file is empty"]);
    const fault = "no MaxMind DB metadata stands at its end: it is cut off, or no mmdb at all";
    expect(faultsOf(randomBytes(300_000), 1000)).toEqual([fault]);
    // Readers look no further up than this.
    expect(faultsOf(Buffer.concat([sound, Buffer.alloc(128 * 1024)]))).toEqual([fault]);
  });

  it("never goes on for ever, whatever stands behind the marker", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(faultsOf(Buffer.concat([sound.subarray(0, 500), MARKER, bytes])).length).toBeGreaterThan(0);
      }),
    );
    // A map whose first key points at the map itself.
    expect(() => decodeMmdbValue(Buffer.from([0xe1, 0x20, 0x00]))).toThrow("nested too deeply");
  });
});
