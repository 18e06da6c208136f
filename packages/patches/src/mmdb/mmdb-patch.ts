import { open } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { IPV4_WORDS, IPV6_WORDS } from "@dbdepot/formats/mmdb/address";
import { ByteList } from "@dbdepot/formats/mmdb/byte-list";
import { SEPARATOR_BYTES } from "@dbdepot/formats/mmdb/layout";
import { layOutTree, type SearchTree, type TreeContent } from "@dbdepot/formats/mmdb/search-tree";
import type { Segments } from "@dbdepot/formats/mmdb/segments";
import type { Codec } from "../codec.ts";
import { HEADER_BYTES } from "../header.ts";
import { PatchError } from "../patch-error.ts";
import { appendVarint, PartReader } from "../varint.ts";
import { type ApplyLimits, verified } from "../verified.ts";
import { type MmdbFile, readMetadata, readMmdb } from "./mmdb-file.ts";
import { readSegments } from "./read-segments.ts";
import { applySegmentEdits, diffSegments, referenceTo } from "./segment-edits.ts";
import { applyValueEdits, diffValues } from "./value-edits.ts";
import { ValueTable } from "./value-table.ts";

/** A patch of the values and the address ranges. The search tree is laid out again, because most of its records change. */
export const MMDB_CODEC: Codec = {
  body: patchBody,
  maxBodyBytes: (resultBytes) => resultBytes + 2 ** 16,
  async apply(basePath, patchPath, limits, write) {
    const body = await readBody(patchPath, MMDB_CODEC.maxBodyBytes(limits.resultBytes));
    await write(verified(patched(await readMmdb(basePath), body, limits), limits));
  },
};

/** Yields the parts: the metadata, the edits of the values, and those of the IPv6 and the IPv4 tree. */
async function* patchBody(
  basePath: string,
  resultPath: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  const base = await readMmdb(basePath);
  const result = await readMmdb(resultPath);
  yield* part(result.metadata);
  const baseValues = new ValueTable(base.data);
  const resultValues = new ValueTable(result.data);
  const { edits, numbers } = diffValues(baseValues, resultValues);
  for (const bytes of [edits.runs, edits.bytes, edits.pointers]) yield* part(bytes.view());
  signal?.throwIfAborted();

  const oldReference = (value: number) => referenceTo(value, (at) => numbers[baseValues.numberAt(at)] as number);
  const newReference = (value: number) => referenceTo(value, (at) => resultValues.numberAt(at));
  const from = readSegments(base);
  const to = readSegments(result);
  for (const family of ["ipv6", "ipv4"] as const) {
    const segments = to[family];
    if (segments === undefined) continue;
    const { runs, starts, values } = diffSegments(from[family], segments, oldReference, newReference);
    for (const bytes of [runs, starts, values]) yield* part(bytes.view());
    signal?.throwIfAborted();
  }
}

/** A part begins with its length. */
function* part(bytes: Buffer): Generator<Buffer> {
  const length = new ByteList(8);
  appendVarint(length, bytes.length);
  yield length.view();
  yield bytes;
}

async function readBody(patchPath: string, maxBytes: number): Promise<PartReader> {
  const file = await open(patchPath, "r");
  try {
    const { size } = await file.stat();
    if (size > maxBytes) throw new PatchError("invalid", "the patch is larger than any valid one");
    const compressed = await file.readFile();
    const body = await promisify(brotliDecompress)(compressed.subarray(HEADER_BYTES), { maxOutputLength: maxBytes });
    return new PartReader(body);
  } catch (error) {
    if (error instanceof PatchError || (error instanceof Error && "syscall" in error)) throw error;
    throw new PatchError("invalid", `the patch is damaged: ${(error as Error).message}`, { cause: error });
  } finally {
    await file.close();
  }
}

function* patched(base: MmdbFile, body: PartReader, { resultBytes, signal }: ApplyLimits): Generator<Uint8Array> {
  const metadata = nextPart(body).bytes;
  const { recordSizeBits, ipVersion } = readMetadata(metadata, "invalid");
  const { data, trees } = edited(base, body, ipVersion, resultBytes);
  signal?.throwIfAborted();
  const maxNodes = Math.floor((resultBytes * 4) / recordSizeBits);
  const tree = layOut({ ...trees, dataBytes: data.length, maxNodes });
  signal?.throwIfAborted();
  yield* tree.chunks(recordSizeBits);
  yield new Uint8Array(SEPARATOR_BYTES);
  yield data.view();
  yield metadata;
}

function edited(base: MmdbFile, body: PartReader, ipVersion: 4 | 6, resultBytes: number) {
  const baseValues = new ValueTable(base.data);
  const valueEdits = { runs: nextPart(body), bytes: nextPart(body), pointers: nextPart(body) };
  const { data, offsets, numbers } = applyValueEdits(baseValues, valueEdits, resultBytes);
  const oldReference = (value: number) => referenceTo(value, (at) => numbers[baseValues.numberAt(at)] as number);
  const offsetOf = (number: number) => (number >= 0 && number < offsets.length ? offsets.at(number) : undefined);
  const from = readSegments(base);
  const edit = (old: Segments | undefined, wordsPerAddress: number) => {
    const edits = { runs: nextPart(body), starts: nextPart(body), values: nextPart(body) };
    return applySegmentEdits(old, wordsPerAddress, edits, oldReference, offsetOf);
  };
  const ipv6 = ipVersion === 6 ? edit(from.ipv6, IPV6_WORDS) : undefined;
  return { data, trees: { ipv6, ipv4: edit(from.ipv4, IPV4_WORDS) } };
}

function layOut(content: TreeContent): SearchTree {
  try {
    return layOutTree(content);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new PatchError("invalid", `the patch leads to a file that is too large: ${error.message}`);
  }
}

function nextPart(body: PartReader): PartReader {
  return new PartReader(body.take(body.varint()));
}
