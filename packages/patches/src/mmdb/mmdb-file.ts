import { closeSync, fstatSync, openSync } from "node:fs";
import { findMetadata, SEPARATOR_BYTES, TAIL_BYTES } from "@dbdepot/formats/mmdb/layout";
import { decodeMmdbValue, type MmdbValue } from "@dbdepot/formats/mmdb/metadata";
import { RECORD_SIZES_BITS, type RecordSizeBits } from "@dbdepot/formats/mmdb/node-records";
import { readRange } from "../files.ts";
import { PatchError } from "../patch-error.ts";
import { TreeReader } from "./tree-reader.ts";

/** Data sections are kept in memory, and offsets in 32 bits. */
const MAX_FILE_BYTES = 2 ** 30;

/** The parts of an mmdb. Only the data section is in memory. */
export interface MmdbFile extends Disposable {
  tree: TreeReader;
  data: Buffer;
  /** The metadata section, with its marker. */
  metadata: Buffer;
}

export function openMmdb(path: string): MmdbFile {
  const descriptor = openSync(path, "r");
  try {
    const { size } = fstatSync(descriptor);
    if (size > MAX_FILE_BYTES) throw new PatchError("unsupported", `${path} is larger than ${MAX_FILE_BYTES} bytes`);
    const readInto = (at: number, bytes: Uint8Array) => readRange(descriptor, at, bytes);
    const read = (at: number, length: number) => {
      const bytes = Buffer.alloc(length);
      readInto(at, bytes);
      return bytes;
    };
    const tailBytes = Math.min(TAIL_BYTES, size);
    const tail = read(size - tailBytes, tailBytes);
    const marker = findMetadata(tail)?.marker;
    if (marker === undefined) throw new PatchError("unsupported", "the file is not an mmdb");
    const metadata = Buffer.from(tail.subarray(marker));
    const { nodeCount, recordSizeBits } = readMetadata(metadata, "unsupported");
    const dataAt = (nodeCount * recordSizeBits) / 4 + SEPARATOR_BYTES;
    const dataEnd = size - tailBytes + marker;
    if (dataAt > dataEnd) throw new PatchError("unsupported", "the mmdb is truncated");
    const data = read(dataAt, dataEnd - dataAt);
    const tree = new TreeReader(readInto, { nodeCount, recordSizeBits, dataBytes: data.length });
    return { tree, data, metadata, [Symbol.dispose]: () => closeSync(descriptor) };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** Reads what the metadata, with its marker, says about the layout. */
export function readMetadata(section: Buffer, code: "unsupported" | "invalid") {
  let metadata: MmdbValue;
  try {
    metadata = decodeMmdbValue(findMetadata(section)?.metadata ?? Buffer.alloc(0));
  } catch (error) {
    throw new PatchError(code, `the mmdb's metadata is invalid: ${(error as Error).message}`);
  }
  const { node_count: nodeCount, record_size } = metadata as Record<string, MmdbValue>;
  const recordSizeBits: RecordSizeBits | undefined = RECORD_SIZES_BITS.find((bits) => bits === record_size);
  if (typeof nodeCount !== "number" || nodeCount < 1 || !recordSizeBits) {
    throw new PatchError(code, "the mmdb's metadata is incomplete");
  }
  return { nodeCount, recordSizeBits };
}
