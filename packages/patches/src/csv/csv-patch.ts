import { open } from "node:fs/promises";
import { ByteList } from "@dbdepot/formats/mmdb/byte-list";
import { Tail } from "@dbdepot/formats/mmdb/tail";
import type { Codec, WriteResult } from "../codec.ts";
import { decompressedBody } from "../decompressed-body.ts";
import { PatchError } from "../patch-error.ts";
import { ScriptReader } from "../script-reader.ts";
import { appendVarint } from "../varint.ts";
import { type ApplyLimits, verified } from "../verified.ts";
import { applyScript } from "./apply-script.ts";
import { editScript } from "./edit-script.ts";
import { COMPRESSIONS, COMPRESSORS, type Compress, type Compression, type Container, withHeader } from "./gzip.ts";
import { LineReader } from "./line-reader.ts";
import { hashLines, matchLines } from "./match-lines.ts";
import { recognizeGzip } from "./recognize-gzip.ts";

/** The checksum and the length of the text, at the end of every gzip file. */
const TRAILER_BYTES = 8;

/** A patch of the lines of the text, which is compressed again. */
export const CSVGZ_CODEC: Codec = {
  body: patchBody,
  // Text of which hardly anything is information compresses better, but then the whole file is small.
  maxBodyBytes: (resultBytes) => 16 * resultBytes + 2 ** 20,
  apply: (basePath, patchPath, limits, write) => applyCsvPatch(basePath, patchPath, limits, write, COMPRESSORS),
};

/** Yields how the result was compressed and its trailer, then the script. */
async function* patchBody(
  basePath: string,
  resultPath: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  const trailer = await readTrailer(resultPath);
  yield encodeContainer(await recognizeGzip(resultPath, signal));
  yield trailer;
  const baseHashes = await hashLines(LineReader.open(basePath, signal));
  const resultHashes = await hashLines(LineReader.open(resultPath, signal));
  const matches = matchLines(baseHashes, resultHashes);
  const base = LineReader.open(basePath, signal);
  const result = LineReader.open(resultPath, signal);
  try {
    yield* editScript(base, result, matches, baseHashes.length);
  } finally {
    await base.close();
    await result.close();
  }
}

/**
 * Passes the result to `write`. If its text is right but not its bytes, this zlib is not the one that compressed the
 * published file, and the next compressor is tried.
 */
export async function applyCsvPatch(
  basePath: string,
  patchPath: string,
  limits: ApplyLimits,
  write: WriteResult,
  compressors: Record<Compression, readonly Compress[]>,
): Promise<void> {
  for (let tried = 0, count = 1; tried < count; tried++) {
    const attempt = new Attempt();
    const result = attempt.run(basePath, patchPath, limits, (text, { compression, level, header }) => {
      const usable = compressors[compression];
      count = usable.length;
      return withHeader(header, (usable[tried] as Compress)(text, level));
    });
    try {
      await write(verified(result, limits));
      return;
    } catch (error) {
      const isMismatch = error instanceof PatchError && error.code === "result_mismatch";
      if (!isMismatch || !attempt.mayBeAnotherCompressor) throw error;
    }
  }
  throw new PatchError("unsupported", "the announced file was compressed in a way that cannot be reproduced here");
}

class Attempt {
  readonly #tail = new Tail(TRAILER_BYTES);
  #trailer: Buffer = Buffer.alloc(0);
  #isFinished = false;

  /** Before the end, it is unknown whether a result that is too long has the right text. */
  get mayBeAnotherCompressor(): boolean {
    return !this.#isFinished || this.#tail.view().equals(this.#trailer);
  }

  async *run(
    basePath: string,
    patchPath: string,
    { resultBytes, signal }: ApplyLimits,
    compress: (text: AsyncIterable<Buffer>, container: Container) => AsyncIterable<Uint8Array>,
  ): AsyncGenerator<Uint8Array> {
    const base = LineReader.open(basePath, signal);
    const body = decompressedBody(patchPath, signal);
    const script = new ScriptReader(body, CSVGZ_CODEC.maxBodyBytes(resultBytes));
    try {
      const container = await readContainer(script);
      this.#trailer = await script.take(TRAILER_BYTES);
      for await (const chunk of compress(applyScript(base, script), container)) {
        this.#tail.update(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
        yield chunk;
      }
      this.#isFinished = true;
    } finally {
      await base.close();
      await script.close();
    }
  }
}

/** Sixteen times the index of the compression plus the level, the length of the header, and the header. */
function encodeContainer({ compression, level, header }: Container): Buffer {
  const bytes = new ByteList(64);
  appendVarint(bytes, COMPRESSIONS.indexOf(compression) * 16 + level);
  appendVarint(bytes, header.length);
  bytes.pushBytes(header);
  return bytes.view();
}

async function readContainer(script: ScriptReader): Promise<Container> {
  const numbers = await script.nextEdit();
  if (!numbers) throw new PatchError("invalid", "the patch is truncated");
  const number = numbers.varint();
  const header = await script.take(numbers.varint());
  const compression = COMPRESSIONS[Math.floor(number / 16)];
  const level = number % 16;
  if (!compression || level < 1 || level > 9) {
    throw new PatchError("invalid", "the patch does not say how to compress the file");
  }
  return { compression, level, header };
}

async function readTrailer(path: string): Promise<Buffer> {
  const file = await open(path, "r");
  try {
    const trailer = Buffer.alloc(TRAILER_BYTES);
    const { size } = await file.stat();
    const { bytesRead } = await file.read(trailer, 0, TRAILER_BYTES, Math.max(0, size - TRAILER_BYTES));
    if (bytesRead < TRAILER_BYTES) throw new PatchError("unsupported", `${path} is not a valid gzip file`);
    return trailer;
  } finally {
    await file.close();
  }
}
