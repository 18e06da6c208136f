export const RECORD_SIZES_BITS = [24, 28, 32] as const;
export type RecordSizeBits = (typeof RECORD_SIZES_BITS)[number];

/** Writes the left and the right record of the node at byte `at`. */
type PutNode = (bytes: Uint8Array, at: number, left: number, right: number) => void;
/** Reads the left (0) or the right (1) record of the node at byte `at`. */
type ReadRecord = (bytes: Uint8Array, at: number, side: number) => number;

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

export const READ_RECORD: Record<RecordSizeBits, ReadRecord> = {
  24: (bytes, at, side) => read24(bytes, at + side * 3),
  28: (bytes, at, side) => {
    const middle = bytes[at + 3] as number;
    return side === 0 ? ((middle & 0xf0) << 20) | read24(bytes, at) : ((middle & 0x0f) << 24) | read24(bytes, at + 4);
  },
  32: (bytes, at, side) => (bytes[at + side * 4] as number) * 2 ** 24 + read24(bytes, at + side * 4 + 1),
};

function put24(bytes: Uint8Array, at: number, record: number): void {
  bytes[at] = record >>> 16;
  bytes[at + 1] = record >>> 8;
  bytes[at + 2] = record;
}

function read24(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number);
}
