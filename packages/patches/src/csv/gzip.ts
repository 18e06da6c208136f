import { pipeline } from "node:stream";
import { createGzip } from "node:zlib";
import { GZIP_OPTIONS, withFixedGzipHeader } from "@dbdepot/formats/gzip";

export type Compress = (text: AsyncIterable<Buffer>) => AsyncIterable<Uint8Array>;

const CHUNK_BYTES = 1 << 16;

/** Fast, but a Node.js that is linked with another zlib writes other bytes. */
async function* withZlib(text: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
  const gzip = createGzip({ ...GZIP_OPTIONS, chunkSize: CHUNK_BYTES });
  // Errors reach the reader of the last stream.
  pipeline(text, gzip, () => undefined);
  yield* withFixedGzipHeader(gzip);
}

/** Slow, but writes the same bytes everywhere: those of the zlib that Node.js includes. */
async function* withPako(text: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
  const { Deflate } = await import("pako");
  const deflate = new Deflate({ ...GZIP_OPTIONS, gzip: true, chunkSize: CHUNK_BYTES });
  const written: Uint8Array[] = [];
  deflate.onData = (chunk) => written.push(chunk as Uint8Array);
  for await (const chunk of text) {
    deflate.push(chunk, false);
    yield* written.splice(0);
  }
  deflate.push(new Uint8Array(0), true);
  yield* written;
}

/** In the order in which they are tried. */
export const COMPRESSORS: readonly Compress[] = [withZlib, withPako];
