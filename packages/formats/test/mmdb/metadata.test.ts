import { describe, expect, it } from "vitest";
import { decodeMmdbValue } from "../../src/mmdb/metadata.ts";
import { nestedPointers } from "./nested-pointers.ts";

describe("decodeMmdbValue", () => {
  it("follows pointers", () => {
    expect(decodeMmdbValue(nestedPointers(2, 3, [0x41, 0x61]))).toEqual(Array(3).fill(Array(3).fill("a")));
  });

  it("refuses pointers that nest too deeply or form a cycle", () => {
    // A map whose first key points at the map itself.
    expect(() => decodeMmdbValue(Buffer.from([0xe1, 0x20, 0x00]))).toThrow("nested too deeply");
    expect(() => decodeMmdbValue(nestedPointers(9, 1, [0x41, 0x61]))).toThrow("nested too deeply");
  });

  it("refuses a few hundred bytes whose pointers expand to billions of values", () => {
    const bytes = nestedPointers(7, 28, [0x41, 0x61]);
    expect(bytes.length).toBeLessThan(500);
    expect(() => decodeMmdbValue(bytes)).toThrow("it has more than 10000 values");
  });

  it("refuses pointers that decode the same long string again and again", () => {
    const string = [0x5e, 0x13, 0x6b, ...Buffer.alloc(285 + 0x136b, "x")];
    expect(() => decodeMmdbValue(nestedPointers(2, 28, string))).toThrow("it decodes to more than 262144 bytes");
  });

  it("refuses an array that claims more values than there are bytes", () => {
    // An array of 16 million values.
    expect(() => decodeMmdbValue(Buffer.from([0x1f, 4, 255, 255, 255]))).toThrow("it is truncated");
  });
});
