import type { Readable } from "node:stream";
import { createGzip, type Gzip } from "node:zlib";
import { free } from "./send-stream.ts";

/** Favours speed: files are compressed for every download. */
const LEVEL = 1;

/**
 * Compresses in the thread pool. Frees each chunk of `content` as soon as it is compressed: the garbage collector would let
 * hundreds of megabytes accumulate. Destroying the result ends the iteration of `content`, and an error of `content` destroys
 * the result.
 */
export function gzipped(content: AsyncIterable<Buffer>): Readable {
  const gzip = createGzip({ level: LEVEL });
  feed(gzip, content).catch((error) => gzip.destroy(error));
  return gzip;
}

async function feed(gzip: Gzip, content: AsyncIterable<Buffer>): Promise<void> {
  for await (const chunk of content) {
    if (gzip.destroyed) return;
    await written(gzip, chunk);
    free(chunk);
  }
  gzip.end();
}

/** A stream that is destroyed while it works may never call back. */
function written(gzip: Gzip, chunk: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      gzip.off("close", done);
      resolve();
    };
    gzip.once("close", done);
    gzip.write(chunk, done);
  });
}
