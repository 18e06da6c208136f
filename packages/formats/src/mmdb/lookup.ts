import { type MmdbLayout, SEPARATOR_BYTES } from "./layout.ts";
import { decodeMmdbValueAt, type MmdbValue } from "./metadata.ts";
import { READ_RECORD } from "./node-records.ts";

/** Reads bytes `first` to `last`, inclusive. */
export type ReadRange = (first: number, last: number) => Promise<Buffer>;

export interface MmdbMatch {
  /** The number of leading bits of the address that all addresses with this record share. */
  prefixLength: number;
  /** Undefined if the address has no record. */
  record: MmdbValue | undefined;
}

/** Records of real files are far smaller. */
const MAX_RECORD_READS = 64;

/** Looks up an address of 4 or 16 bytes, which the file must be able to hold. Reads only the nodes and values it needs. */
export async function lookUp(layout: MmdbLayout, address: Buffer, read: ReadRange): Promise<MmdbMatch> {
  const { nodeCount, recordSizeBits, treeBytes, dataEnd } = layout;
  const bits = layout.ipVersion === 6 && address.length === 4 ? Buffer.concat([Buffer.alloc(12), address]) : address;
  const nodeBytes = recordSizeBits / 4;
  let node = 0;
  let depth = 0;
  while (node < nodeCount && depth < bits.length * 8) {
    const bit = ((bits[depth >> 3] ?? 0) >> (7 - (depth & 7))) & 1;
    const bytes = await read(node * nodeBytes, (node + 1) * nodeBytes - 1);
    node = READ_RECORD[recordSizeBits](bytes, 0, bit);
    depth += 1;
  }
  if (node < nodeCount) throw new RangeError("the search tree is deeper than an address has bits");
  if (node === nodeCount) return { prefixLength: depth, record: undefined };
  const offset = node - nodeCount - SEPARATOR_BYTES;
  const section = { start: treeBytes + SEPARATOR_BYTES, end: dataEnd };
  return { prefixLength: depth, record: await decodeRecord(offset, section, read) };
}

/** The decoder needs bytes that have not been read yet. */
class Missing extends Error {
  readonly at: number;
  readonly size: number;

  constructor(at: number, size: number) {
    super("bytes are missing");
    this.at = at;
    this.size = size;
  }
}

const CHUNK_BYTES = 4096;

/** Decodes until bytes are missing, reads them and starts again. A record rarely needs more than a few reads. */
async function decodeRecord(offset: number, { start, end }: { start: number; end: number }, read: ReadRange) {
  const chunks: { at: number; bytes: Buffer }[] = [];
  const take = (at: number, size: number) => {
    if (start + at + size > end) throw new RangeError("the record is truncated");
    const chunk = chunks.find((each) => each.at <= at && at + size <= each.at + each.bytes.length);
    if (!chunk) throw new Missing(at, size);
    return chunk.bytes.subarray(at - chunk.at, at - chunk.at + size);
  };
  for (;;) {
    try {
      return decodeMmdbValueAt(offset, take);
    } catch (error) {
      if (!(error instanceof Missing)) throw error;
      if (chunks.length === MAX_RECORD_READS) throw new RangeError("the record is spread over too many places");
      const last = Math.min(start + error.at + Math.max(error.size, CHUNK_BYTES), end) - 1;
      chunks.push({ at: error.at, bytes: await read(start + error.at, last) });
    }
  }
}
