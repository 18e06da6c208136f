import { decodeMmdbValue, type MmdbValue } from "./metadata.ts";
import type { RecordSizeBits } from "./node-records.ts";

/** Begins the metadata section. */
export const METADATA_MARKER = Buffer.from("\xab\xcd\xefMaxMind.com", "latin1");
/** Readers search only the last 128 KiB for the marker. */
export const TAIL_BYTES = 128 * 1024;
/** Zeros between the search tree and the data. */
export const SEPARATOR_BYTES = 16;

/** The positions of the parts of a file, according to its metadata. */
export interface MmdbLayout {
  nodeCount: number;
  recordSizeBits: RecordSizeBits;
  ipVersion: 4 | 6;
  treeBytes: number;
  /** The end of the data section, where the metadata begins. */
  dataEnd: number;
}

/** The bytes of the metadata section, and where its marker begins. Undefined if the file has none. */
export function findMetadata(tail: Buffer): { marker: number; metadata: Buffer } | undefined {
  const marker = tail.lastIndexOf(METADATA_MARKER);
  return marker === -1 ? undefined : { marker, metadata: tail.subarray(marker + METADATA_MARKER.length) };
}

/** Reads the layout from the last bytes of a file, which passed the structure check when it was published. */
export function layoutOf(tail: Buffer, sizeBytes: number): MmdbLayout {
  const found = findMetadata(tail);
  if (!found) throw new RangeError("the file has no MaxMind DB metadata");
  const metadata = decodeMmdbValue(found.metadata) as Record<string, MmdbValue>;
  const nodeCount = Number(metadata.node_count);
  const recordSizeBits = Number(metadata.record_size) as RecordSizeBits;
  return {
    nodeCount,
    recordSizeBits,
    ipVersion: metadata.ip_version === 4 ? 4 : 6,
    treeBytes: (nodeCount * recordSizeBits) / 4,
    dataEnd: sizeBytes - tail.length + found.marker,
  };
}
