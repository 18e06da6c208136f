import { pipeline } from "node:stream";
import { createBrotliDecompress } from "node:zlib";
import { readChunks } from "./files.ts";
import { HEADER_BYTES } from "./header.ts";
import { blaming } from "./patch-error.ts";

/** Reads what follows the header of a patch. */
export function decompressedBody(patchPath: string, signal: AbortSignal | undefined): AsyncIterable<Buffer> {
  return blaming("invalid", "the patch is damaged", decompressed(patchPath, signal));
}

async function* decompressed(patchPath: string, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  const brotli = createBrotliDecompress();
  // Errors reach the reader of the last stream.
  pipeline(readChunks(patchPath, signal, HEADER_BYTES), brotli, () => undefined);
  yield* brotli;
}
