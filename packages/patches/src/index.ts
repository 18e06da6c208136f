/**
 * Patches between two builds of the same format. A patch is untrusted: only the digest and the size of the result, which
 * come from the signed manifest or the checksum endpoint, decide whether it is accepted. docs/decisions/0013-patches-per-format.md explains why.
 */
import { rm, stat } from "node:fs/promises";
import { pipeline } from "node:stream";
import { constants, createBrotliCompress } from "node:zlib";
import { BINARY_CODEC } from "./binary/binary-patch.ts";
import type { Codec } from "./codec.ts";
import { CSVGZ_CODEC } from "./csv/csv-patch.ts";
import { NOT_REPRODUCIBLE } from "./csv/recognize-gzip.ts";
import { sha256OfFile, writeNewFile } from "./files.ts";
import { type CodecName, encodeHeader, FORMAT_VERSIONS, type PatchKind, readHeader } from "./header.ts";
import { MMDB_CODEC } from "./mmdb/mmdb-patch.ts";
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

const CODECS: Record<CodecName, Codec> = { csvgz: CSVGZ_CODEC, mmdb: MMDB_CODEC, binary: BINARY_CODEC };
/** The codecs for each kind of file, in the order in which they are tried. The bytes of two csv.gz have nothing in common. */
const CODECS_OF: Record<PatchKind, readonly CodecName[]> = { csvgz: ["csvgz"], mmdb: ["mmdb", "binary"] };

const WINDOW_BITS = 22;
/** With a larger window, the compressor takes 32 MB of memory even for a few bytes. */
const SMALL_WINDOW_BITS = 16;

/**
 * Writes a patch from one file to another of the same format, and returns the digest of its result. It is applied once, without writing the result, before this
 * returns: a patch that exists leads to the result, byte for byte. `patchPath` must not exist; nothing is left there on
 * failure. Occupies its thread for seconds, so run it in a worker. Throws a PatchError.
 */
export function makePatch(
  kind: PatchKind,
  basePath: string,
  resultPath: string,
  patchPath: string,
  { maxPatchBytes, signal }: MakeLimits,
): Promise<{ bytes: number; resultSha256: string }> {
  return asPatchErrors(signal, async () => {
    const baseSha256 = await sha256OfFile(basePath, signal);
    const resultSha256 = await sha256OfFile(resultPath, signal);
    const { size: resultBytes } = await stat(resultPath);
    const names = CODECS_OF[kind];
    for (const name of names) {
      const header = encodeHeader({ codec: name, formatVersion: FORMAT_VERSIONS[name], baseSha256, resultSha256 });
      try {
        await makeWith(CODECS[name], header);
        break;
      } catch (error) {
        const isUnsupported = error instanceof PatchError && error.code === "unsupported";
        if (!isUnsupported || name === names.at(-1)) throw error;
      }
    }
    return { bytes: (await stat(patchPath)).size, resultSha256 };

    async function makeWith(codec: Codec, header: Buffer): Promise<void> {
      const body = upTo(codec.maxBodyBytes(resultBytes), codec.body(basePath, resultPath, signal));
      await writeNewFile(patchPath, upTo(maxPatchBytes, afterHeader(header, compressed(body, resultBytes))));
      try {
        const limits = { resultBytes, resultSha256, ...(signal && { signal }) };
        await check(kind, codec.apply(basePath, patchPath, limits, drain));
      } catch (error) {
        await rm(patchPath, { force: true });
        throw error;
      }
    }
  });
}

/**
 * Writes the result to `resultPath`, which must not exist, syncs it and verifies its size and digest. Nothing is left there
 * on failure. The base is only read. A csv.gz is processed as a stream; an mmdb occupies the thread, and about its own
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
    if (!CODECS_OF[kind].includes(header.codec)) throw new PatchError("invalid", `the patch is not for a ${kind}`);
    if (header.resultSha256 !== limits.resultSha256) {
      throw new PatchError("result_mismatch", "the patch leads to another file than the announced one");
    }
    if (header.baseSha256 !== (await sha256OfFile(basePath, limits.signal))) {
      throw new PatchError("base_mismatch", "the patch was made for another file");
    }
    await CODECS[header.codec].apply(basePath, patchPath, limits, (chunks) => writeNewFile(resultPath, chunks));
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
async function check(kind: PatchKind, applying: Promise<void>): Promise<void> {
  try {
    await applying;
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    // A csv.gz of several members is only noticed here.
    const why = kind === "csvgz" ? NOT_REPRODUCIBLE : `the result cannot be reproduced: ${error.message}`;
    throw new PatchError("unsupported", why, { cause: error });
  }
}
