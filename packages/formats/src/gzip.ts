import type { ZlibOptions } from "node:zlib";

/**
 * A csv.gz depends only on its text, so that the same rows always give the same bytes and a patch of the text can
 * reproduce the file. These are zlib's defaults, which are written out because another value changes every file.
 */
export const GZIP_OPTIONS = { level: 6, memLevel: 8, windowBits: 15 } satisfies ZlibOptions;

const OS_BYTE = 9;
const UNIX = 3;

/** Sets the byte of a gzip header that depends on the operating system. zlib sets all others to fixed values. */
export async function* withFixedGzipHeader(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let at = 0;
  for await (const chunk of chunks) {
    if (at <= OS_BYTE && OS_BYTE < at + chunk.length) chunk[OS_BYTE - at] = UNIX;
    at += chunk.length;
    yield chunk;
  }
}
