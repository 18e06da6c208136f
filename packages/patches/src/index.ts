/**
 * Patches between two builds of the same format. A patch is untrusted: only the digest and the size of the result, which
 * come from the signed manifest or the checksum endpoint, decide whether it is accepted. docs/decisions/0013-patches-per-format.md explains why.
 */
import { rm, stat } from "node:fs/promises";
import { pipeline } from "node:stream";
import { constants, createBrotliCompress } from "node:zlib";
import type { Codec } from "./codec.ts";
import { CSVGZ_CODEC } from "./csv/csv-patch.ts";
import { sha256OfFile } from "./digest.ts";
import { encodeHeader, FORMAT_VERSIONS, type PatchKind, readHeader } from "./header.ts";
import { MMDB_CODEC } from "./mmdb/mmdb-patch.ts";
import { writeNewFile } from "./new-file.ts";
import { asPatchErrors, PatchError } from "./patch-error.ts";
import { type ApplyLimits, drain } from "./verified.ts";

export type { PatchKind } from "./header.ts";
export { PatchError } from "./patch-error.ts";
export type { ApplyLimits } from "./verified.ts";

export interface MakeLimits {
  /** Making a patch stops with `too_large` as soon as it exceeds this size. */
  maxPatchBytes: number;
  signal?: AbortSignal;
}

const CODECS: Record<PatchKind, Codec> = { csvgz: CSVGZ_CODEC, mmdb: MMDB_CODEC };

const WINDOW_BITS = 22;
/** With a larger window, the compressor takes 32 MB of memory even for a few bytes. */
const SMALL_WINDOW_BITS = 16;

/**
 * Writes a patch from one file to another of the same format. It is applied once, without writing the result, before this
 * returns: a patch that exists leads to the result, byte for byte. `patchPath` must not exist; nothing is left there on
 * failure. Occupies its thread for seconds, so run it in a worker. Throws a PatchError.
 */
export function makePatch(
  kind: PatchKind,
  basePath: string,
  resultPath: string,
  patchPath: string,
  { maxPatchBytes, signal }: MakeLimits,
): Promise<{ bytes: number }> {
  return asPatchErrors(signal, async () => {
    const codec = CODECS[kind];
    const baseSha256 = await sha256OfFile(basePath, signal);
    const resultSha256 = await sha256OfFile(resultPath, signal);
    const { size: resultBytes } = await stat(resultPath);
    const header = encodeHeader({ kind, formatVersion: FORMAT_VERSIONS[kind], baseSha256, resultSha256 });
    const body = upTo(codec.maxBodyBytes(resultBytes), codec.body(basePath, resultPath, signal));
    await writeNewFile(patchPath, upTo(maxPatchBytes, afterHeader(header, compressed(body, resultBytes))));
    try {
      await check(codec.apply(basePath, patchPath, { resultBytes, resultSha256, ...(signal && { signal }) }, drain));
      return { bytes: (await stat(patchPath)).size };
    } catch (error) {
      await rm(patchPath, { force: true });
      throw error;
    }
  });
}

/**
 * Writes the result to `resultPath`, which must not exist, syncs it and verifies its size and digest. Nothing is left there
 * on failure. The base is only read. A csv.gz is processed as a stream; an mmdb occupies the thread and about four times its
 * size in memory. Throws a PatchError.
 */
export function applyPatch(
  kind: PatchKind,
  basePath: string,
  patchPath: string,
  resultPath: string,
  limits: ApplyLimits,
): Promise<void> {
  return asPatchErrors(limits.signal, async () => {
    const header = await readHeader(patchPath);
    if (header.kind !== kind) throw new PatchError("invalid", `the patch is for a ${header.kind}, not for a ${kind}`);
    if (header.resultSha256 !== limits.resultSha256) {
      throw new PatchError("result_mismatch", "the patch leads to another file than the announced one");
    }
    if (header.baseSha256 !== (await sha256OfFile(basePath, limits.signal))) {
      throw new PatchError("base_mismatch", "the patch was made for another file");
    }
    await CODECS[kind].apply(basePath, patchPath, limits, (chunks) => writeNewFile(resultPath, chunks));
  });
}

async function* afterHeader(header: Buffer, body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield header;
  yield* body;
}

async function* compressed(body: AsyncIterable<Buffer>, resultBytes: number): AsyncGenerator<Buffer> {
  const windowBits = resultBytes <= 2 ** SMALL_WINDOW_BITS ? SMALL_WINDOW_BITS : WINDOW_BITS;
  const brotli = createBrotliCompress({
    params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: windowBits },
  });
  // Errors reach the reader of the last stream.
  pipeline(body, brotli, () => undefined);
  yield* brotli;
}

async function* upTo(maxBytes: number, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new PatchError("too_large", `the patch would have more than ${maxBytes} bytes`);
    yield chunk;
  }
}

/** A patch that fails its test means that a file was made in a way that the patch cannot express. */
async function check(applying: Promise<void>): Promise<void> {
  try {
    await applying;
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    throw new PatchError("unsupported", `the result cannot be reproduced: ${error.message}`, { cause: error });
  }
}
