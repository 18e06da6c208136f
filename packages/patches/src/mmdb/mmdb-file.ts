import { open } from "node:fs/promises";
import { findMetadata, SEPARATOR_BYTES, TAIL_BYTES } from "@dbdepot/formats/mmdb/layout";
import { decodeMmdbValue, type MmdbValue } from "@dbdepot/formats/mmdb/metadata";
import { RECORD_SIZES_BITS, type RecordSizeBits } from "@dbdepot/formats/mmdb/node-records";
import { PatchError } from "../patch-error.ts";

/** Files are kept in memory, and offsets in 32 bits. */
const MAX_FILE_BYTES = 2 ** 30;

/** The parts of an mmdb. */
export interface MmdbFile {
  bytes: Buffer;
  nodeCount: number;
  recordSizeBits: RecordSizeBits;
  ipVersion: 4 | 6;
  data: Buffer;
  /** The metadata section, with its marker. */
  metadata: Buffer;
}

export async function readMmdb(path: string): Promise<MmdbFile> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    if (size > MAX_FILE_BYTES) throw new PatchError("unsupported", `${path} is larger than ${MAX_FILE_BYTES} bytes`);
    return parseMmdb(await file.readFile());
  } finally {
    await file.close();
  }
}

function parseMmdb(bytes: Buffer): MmdbFile {
  const tail = bytes.subarray(-TAIL_BYTES);
  const marker = findMetadata(tail)?.marker;
  if (marker === undefined) throw new PatchError("unsupported", "the file is not an mmdb");
  const metadataAt = bytes.length - tail.length + marker;
  const metadata = bytes.subarray(metadataAt);
  const facts = readMetadata(metadata, "unsupported");
  const dataAt = (facts.nodeCount * facts.recordSizeBits) / 4 + SEPARATOR_BYTES;
  if (dataAt > metadataAt) throw new PatchError("unsupported", "the mmdb is truncated");
  return { ...facts, bytes, data: bytes.subarray(dataAt, metadataAt), metadata };
}

/** Reads what the metadata, with its marker, says about the layout. */
export function readMetadata(section: Buffer, code: "unsupported" | "invalid") {
  let metadata: MmdbValue;
  try {
    metadata = decodeMmdbValue(findMetadata(section)?.metadata ?? Buffer.alloc(0));
  } catch (error) {
    throw new PatchError(code, `the mmdb's metadata is invalid: ${(error as Error).message}`);
  }
  const { node_count, record_size, ip_version } = metadata as Record<string, MmdbValue>;
  const recordSizeBits = RECORD_SIZES_BITS.find((bits) => bits === record_size);
  if (typeof node_count !== "number" || node_count < 1 || !recordSizeBits || (ip_version !== 4 && ip_version !== 6)) {
    throw new PatchError(code, "the mmdb's metadata is incomplete");
  }
  const ipVersion: 4 | 6 = ip_version;
  return { nodeCount: node_count, recordSizeBits, ipVersion };
}
