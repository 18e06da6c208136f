import { layoutOf, type MmdbLayout } from "@dbdepot/formats/mmdb/layout";
import { lookUp } from "@dbdepot/formats/mmdb/lookup";
import { Reader, type Response } from "mmdb-lib";
import { describe, expect, it } from "vitest";
import { buildMmdb, numbered } from "../../../../exporter/test/mmdb/build-mmdb.ts";
import { nestedPointers } from "../../../../formats/test/mmdb/nested-pointers.ts";

const NETWORKS = ["0.0.0.0/9", "10.0.0.0/8", "10.1.2.3/32", "192.0.2.0/25", "2001:db8::/32", "2001:db8:ffff::/48"];
const ADDRESSES = ["0.1.2.3", "10.0.0.1", "10.1.2.3", "10.1.2.4", "192.0.2.127", "192.0.2.128", "255.255.255.255"];

function bytesOf(address: string): Buffer {
  return Buffer.from(address.split(".").map(Number));
}

describe("a lookup", () => {
  for (const recordSizeBits of [24, 28, 32] as const) {
    it(`finds the same as another reader, with records of ${recordSizeBits} bits`, async () => {
      const { file } = buildMmdb(numbered(NETWORKS), recordSizeBits);
      const reader = new Reader<Response>(file);
      const layout = layoutOf(file, file.length);
      for (const address of ADDRESSES) {
        const [expected, prefixLength] = reader.getWithPrefixLength(address);
        const found = await lookUp(layout, bytesOf(address), async (first, last) => file.subarray(first, last + 1));
        expect([address, found.record ?? null]).toEqual([address, expected]);
        expect([address, found.prefixLength - 96]).toEqual([address, prefixLength]);
      }
    });
  }

  it("rejects a record that decodes to billions of values, and a tree that never ends", async () => {
    const bomb = nestedPointers(6, 25, [0x41, 0x61]);
    const layout: MmdbLayout = {
      nodeCount: 1,
      recordSizeBits: 24,
      ipVersion: 4,
      treeBytes: 6,
      dataEnd: 22 + bomb.length,
    };
    const file = Buffer.concat([Buffer.from([0, 0, 17, 0, 0, 0]), Buffer.alloc(16), bomb]);
    const read = async (first: number, last: number) => file.subarray(first, last + 1);
    await expect(lookUp(layout, bytesOf("1.2.3.4"), read)).rejects.toThrow("more than 10000 values");
    await expect(lookUp(layout, bytesOf("255.255.255.255"), read)).rejects.toThrow("deeper than an address");
  });
});
