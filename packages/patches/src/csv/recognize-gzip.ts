import { open } from "node:fs/promises";
import { constants, createGunzip, type Gunzip } from "node:zlib";
import { blaming, PatchError } from "../patch-error.ts";
import { COMPRESSIONS, COMPRESSORS, type Compress, type Container, withHeader } from "./gzip.ts";

/** Compressing the text of this much of a file tells most levels apart. The whole file is compared later. */
export const HEAD_BYTES = 1 << 18;
/** Text that repeats itself may be a thousand times as long. */
const TEXT_MAX_BYTES = 1 << 22;

/** The start of a file, or all of it. */
interface Head {
  bytes: Buffer;
  isWhole: boolean;
}

const HEADER_MAX_BYTES = 1 << 12;
/** Bits of the header's flags. */
const [HAS_CHECKSUM, HAS_EXTRA, HAS_NAME, HAS_COMMENT] = [2, 4, 8, 16];
/** The most common ones first. */
const LEVELS = [6, 9, 1, 2, 3, 4, 5, 7, 8];

/** Says why there is no patch of a csv.gz, and what to do. */
export const NOT_REPRODUCIBLE =
  "the csv.gz was compressed in a way that cannot be reproduced, for example by gzip or pigz; publish it with --recompress to get patches";

/** Finds out how a csv.gz was compressed. */
export async function recognizeGzip(path: string, signal: AbortSignal | undefined): Promise<Container> {
  const container = await findContainer(await readHead(path), signal);
  if (!container) throw new PatchError("unsupported", NOT_REPRODUCIBLE);
  return container;
}

/** Whether patches can reproduce a csv.gz, judging by its first `HEAD_BYTES`. */
export async function isReproducible(head: Head): Promise<boolean> {
  try {
    return (await findContainer(head, undefined)) !== undefined;
  } catch (error) {
    if (error instanceof PatchError) return false;
    throw error;
  }
}

async function findContainer(head: Head, signal: AbortSignal | undefined): Promise<Container | undefined> {
  const header = head.bytes.subarray(0, headerLength(head.bytes));
  for (const level of LEVELS) {
    for (const compression of COMPRESSIONS) {
      signal?.throwIfAborted();
      const container = { compression, level, header };
      if (await writes(container, head)) return container;
    }
  }
  return undefined;
}

async function writes({ compression, level, header }: Container, head: Head): Promise<boolean> {
  // The last one writes the same bytes everywhere.
  const compress = COMPRESSORS[compression].at(-1) as Compress;
  let at = 0;
  try {
    for await (const chunk of withHeader(header, compress(textOf(head), level))) {
      const expected = head.bytes.subarray(at, at + chunk.length);
      if (Buffer.compare(chunk.subarray(0, expected.length), expected) !== 0) return false;
      at += chunk.length;
    }
  } catch (error) {
    if (error !== END_OF_SAMPLE) throw error;
    return true;
  }
  return at === head.bytes.length;
}

const END_OF_SAMPLE = new Error("the text goes on");

/** A compressor that reaches the end would write what it holds back until it sees more text. */
async function* textOf({ bytes, isWhole }: Head): AsyncGenerator<Buffer> {
  const gunzip: AsyncIterable<Buffer> & Gunzip = createGunzip({
    finishFlush: isWhole ? constants.Z_FINISH : constants.Z_SYNC_FLUSH,
  });
  gunzip.end(bytes);
  let textBytes = 0;
  for await (const text of blaming("unsupported", "the csv.gz is not a valid gzip file", gunzip)) {
    yield text;
    textBytes += text.length;
    if (textBytes >= TEXT_MAX_BYTES) throw END_OF_SAMPLE;
  }
  if (!isWhole) throw END_OF_SAMPLE;
}

async function readHead(path: string): Promise<Head> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const bytes = Buffer.alloc(Math.min(HEAD_BYTES, size));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    return { bytes: bytes.subarray(0, bytesRead), isWhole: size <= HEAD_BYTES };
  } finally {
    await file.close();
  }
}

/** RFC 1952, section 2.3. */
function headerLength(head: Buffer): number {
  const flags = head[3] ?? 0;
  let at = 10;
  if (flags & HAS_EXTRA) at += 2 + (head[at] ?? 0) + 256 * (head[at + 1] ?? 0);
  for (const flag of [HAS_NAME, HAS_COMMENT]) if (flags & flag) at = head.indexOf(0, at) + 1 || head.length;
  if (flags & HAS_CHECKSUM) at += 2;
  if (at > Math.min(HEADER_MAX_BYTES, head.length)) {
    throw new PatchError("unsupported", "the header of the gzip file is too long or truncated");
  }
  return at;
}
