import { open } from "node:fs/promises";
import { pipeline } from "node:stream";
import { createBrotliDecompress } from "node:zlib";
import { Tail } from "@dbdepot/formats/mmdb/tail";
import type { Codec, WriteResult } from "../codec.ts";
import { HEADER_BYTES } from "../header.ts";
import { blaming, PatchError } from "../patch-error.ts";
import { readChunks } from "../read-chunks.ts";
import { type ApplyLimits, verified } from "../verified.ts";
import { applyScript } from "./apply-script.ts";
import { editScript } from "./edit-script.ts";
import { COMPRESSORS, type Compress } from "./gzip.ts";
import { LineReader } from "./line-reader.ts";
import { hashLines, matchLines } from "./match-lines.ts";
import { ScriptReader } from "./script-reader.ts";

/** The checksum and the length of the text, at the end of every gzip file and at the start of the body. */
const TRAILER_BYTES = 8;

/** A patch of the lines of the text, which is compressed again. */
export const CSVGZ_CODEC: Codec = {
  body: patchBody,
  // Text of which hardly anything is information compresses better, but then the whole file is small.
  maxBodyBytes: (resultBytes) => 16 * resultBytes + 2 ** 20,
  apply: (basePath, patchPath, limits, write) => applyCsvPatch(basePath, patchPath, limits, write, COMPRESSORS),
};

/** Yields the trailer of the result, then the script. */
async function* patchBody(
  basePath: string,
  resultPath: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  yield await readTrailer(resultPath);
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
  compressors: readonly Compress[],
): Promise<void> {
  for (const compress of compressors) {
    const attempt = new Attempt();
    try {
      await write(verified(attempt.run(basePath, patchPath, limits, compress), limits));
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
    compress: Compress,
  ): AsyncGenerator<Uint8Array> {
    const base = LineReader.open(basePath, signal);
    const body = blaming("invalid", "the patch is damaged", decompressed(patchPath, signal));
    const script = new ScriptReader(body, CSVGZ_CODEC.maxBodyBytes(resultBytes));
    try {
      this.#trailer = await script.take(TRAILER_BYTES);
      for await (const chunk of compress(applyScript(base, script))) {
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

async function* decompressed(patchPath: string, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  const brotli = createBrotliDecompress();
  // Errors reach the reader of the last stream.
  pipeline(readChunks(patchPath, signal, HEADER_BYTES), brotli, () => undefined);
  yield* brotli;
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
