import { pipeline } from "node:stream";
import { createGzip } from "node:zlib";
import { GZIP_OPTIONS } from "@dbdepot/formats/gzip";

/** How a csv.gz was compressed. */
export interface Container {
  compression: Compression;
  level: number;
  /** The header of the gzip file, which may contain a name and a time. */
  header: Buffer;
}

/** The zlib that Node.js includes is a fork, whose bytes differ. Programs that use the operating system's mostly have a `classic` one. */
export type Compression = (typeof COMPRESSIONS)[number];
/** A patch has the index. */
export const COMPRESSIONS = ["node", "classic"] as const;

export type Compress = (text: AsyncIterable<Buffer>, level: number) => AsyncIterable<Uint8Array>;

/** The header that each compressor writes has no optional fields. */
const PLAIN_HEADER_BYTES = 10;
const CHUNK_BYTES = 1 << 16;
/** Small, because the start of a file is compressed to compare what has been written so far. */
const PAKO_CHUNK_BYTES = 1 << 12;

/** Fast, but a Node.js that is linked with another zlib writes other bytes. */
async function* withZlib(text: AsyncIterable<Buffer>, level: number): AsyncGenerator<Uint8Array> {
  const gzip = createGzip({ ...GZIP_OPTIONS, level, chunkSize: CHUNK_BYTES });
  // Errors reach the reader of the last stream.
  pipeline(text, gzip, () => undefined);
  yield* gzip;
}

/** Slow, but writes the same bytes everywhere. */
function withPako(load: () => Promise<Pick<typeof import("pako"), "Deflate">>): Compress {
  return async function* (text, level) {
    const { Deflate } = await load();
    const deflate = new Deflate({ ...GZIP_OPTIONS, level, gzip: true, chunkSize: PAKO_CHUNK_BYTES });
    const written: Uint8Array[] = [];
    deflate.onData = (chunk) => written.push(chunk as Uint8Array);
    for await (const chunk of text) {
      deflate.push(chunk, false);
      yield* written.splice(0);
    }
    deflate.push(new Uint8Array(0), true);
    yield* written;
  };
}

/** The compressors, in the order in which they are tried. */
export const COMPRESSORS: Record<Compression, readonly Compress[]> = {
  node: [withZlib, withPako(() => import("pako"))],
  classic: [withPako(() => import("pako-classic"))],
};

/** Replaces the header of a gzip file. */
export async function* withHeader(header: Buffer, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield header;
  let left = PLAIN_HEADER_BYTES;
  for await (const chunk of chunks) {
    const skipped = Math.min(left, chunk.length);
    left -= skipped;
    if (skipped < chunk.length) yield chunk.subarray(skipped);
  }
}
