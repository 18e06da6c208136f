import { pipeline } from "node:stream";
import { isDeepStrictEqual } from "node:util";
import { createGunzip, createGzip } from "node:zlib";
import { GZIP_OPTIONS, withFixedGzipHeader } from "@dbdepot/formats/gzip";
import { readDocument } from "../document.ts";
import { isBomb } from "../inspection/csvgz-check.ts";
import { BuildRefused } from "../refusal.ts";

/** Each chunk is processed before the next one is read, because the source may reuse its buffer. */
const ONE_BY_ONE = { chunkSize: 64 * 1024, highWaterMark: 1 };
/** A document mentions the size of the csv.gz once or twice. */
const MAX_MENTIONS = 10;

/**
 * Compresses a csv.gz again as our exporter does: the same rows always give the same bytes, which patches can reproduce.
 * A stream, whose work is done on the threads of zlib.
 */
export async function* recompressed(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip(ONE_BY_ONE);
  const gzip = createGzip({ ...GZIP_OPTIONS, ...ONE_BY_ONE });
  let sizeBytes = 0;
  let textBytes = 0;
  async function* counted() {
    for await (const bytes of source) {
      sizeBytes += bytes.length;
      yield bytes;
    }
  }
  async function* checked(text: AsyncIterable<Buffer>) {
    for await (const bytes of text) {
      textBytes += bytes.length;
      if (isBomb(sizeBytes, textBytes)) throw refusal("it decompresses to too much text");
      yield bytes;
    }
    const trailingBytes = sizeBytes - gunzip.bytesWritten;
    if (trailingBytes > 0) throw refusal(`${trailingBytes} bytes after the end of the gzip data`);
  }
  // Errors reach the reader of the last stream.
  pipeline(counted, gunzip, checked, gzip, () => undefined);
  try {
    yield* withFixedGzipHeader(gzip) as AsyncGenerator<Buffer>;
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    throw code.startsWith("Z_") ? refusal(message) : error;
  }
}

function refusal(why: string): BuildRefused {
  return new BuildRefused("faulty", [`csvgz: the gzip data cannot be compressed again: ${why}`]);
}

/** Changes nothing but the size of the csv.gz. Returns the same document if it is invalid, or has no such size. */
export async function withCsvgzSize(document: Buffer, sizeBytes: number): Promise<Buffer> {
  const read = await readDocument(document);
  if (!("metadata" in read) || read.metadata.size.csvgz === undefined) return document;
  const text = document.toString("utf8");
  const metadata = JSON.parse(text);
  metadata.size.csvgz = sizeBytes;
  const mentions = [...text.matchAll(/("csvgz"\s*:\s*)\d+/g)].slice(0, MAX_MENTIONS);
  for (const { 0: mention, 1: name = "", index } of mentions) {
    const changed = text.slice(0, index) + name + sizeBytes + text.slice(index + mention.length);
    if (isDeepStrictEqual(JSON.parse(changed), metadata)) return Buffer.from(changed);
  }
  return document;
}
