import { expect, it } from "vitest";
import { NOTHING, TreeReader } from "../src/mmdb/tree-reader.ts";

const layout = { nodeCount: 100_000, recordSizeBits: 32, dataBytes: 1 } as const;

/** Each record of node n is n, apart from the records of the last node, which are empty. */
function countingReader() {
  let loads = 0;
  const reader = new TreeReader((at, bytes) => {
    loads++;
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    for (let i = 0; i < bytes.length; i += 4) {
      const node = Math.floor((at + i) / 8);
      view.setUint32(i, node === layout.nodeCount - 1 ? layout.nodeCount : node);
    }
  }, layout);
  return { reader, loads: () => loads };
}

it("reads a tree in any order without reading a part twice", () => {
  const { reader, loads } = countingReader();
  for (let i = 0; i < 1_000_000; i++) {
    const node = (i * 7919) % (layout.nodeCount - 1);
    if (reader.reference(node, i % 2) !== node) throw new Error(`node ${node} is wrong`);
  }
  expect(reader.reference(layout.nodeCount - 1, 0)).toBe(NOTHING);
  expect(loads()).toBe(Math.ceil(layout.nodeCount / 4096));
});
