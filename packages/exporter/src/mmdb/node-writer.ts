export const RECORD_SIZES_BITS = [24, 28, 32] as const;
export type RecordSizeBits = (typeof RECORD_SIZES_BITS)[number];

type PutNode = (bytes: Uint8Array, at: number, left: number, right: number) => void;

/** Writes the two records of a node, by the size of a record. */
export const PUT_NODE: Record<RecordSizeBits, PutNode> = {
  24: (bytes, at, left, right) => {
    put24(bytes, at, left);
    put24(bytes, at + 3, right);
  },
  28: (bytes, at, left, right) => {
    put24(bytes, at, left);
    // The highest four bits of both share the byte in the middle.
    bytes[at + 3] = ((left >>> 20) & 0xf0) | (right >>> 24);
    put24(bytes, at + 4, right);
  },
  32: (bytes, at, left, right) => {
    bytes[at] = left >>> 24;
    put24(bytes, at + 1, left);
    bytes[at + 4] = right >>> 24;
    put24(bytes, at + 5, right);
  },
};

function put24(bytes: Uint8Array, at: number, record: number): void {
  bytes[at] = record >>> 16;
  bytes[at + 1] = record >>> 8;
  bytes[at + 2] = record;
}
