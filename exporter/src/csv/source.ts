import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { ExportFault } from "../export-fault.ts";
import { CsvParser, type SourceRow } from "./parser.ts";

const CHUNK_BYTES = 1 << 18;

/** The rows of a CSV file, plain or gzipped, some at a time. The header is the first of them. */
export async function* readCsv(path: string, onBytes?: (bytesRead: number) => void): AsyncGenerator<SourceRow[]> {
  const parser = new CsvParser();
  try {
    for await (const chunk of gunzipped(readBytes(path, onBytes))) yield parser.push(chunk);
  } catch (error) {
    throw explain(error, path);
  }
  yield parser.end();
}

async function* readBytes(path: string, onBytes?: (bytesRead: number) => void): AsyncGenerator<Buffer> {
  let bytesRead = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
    bytesRead += chunk.length;
    onBytes?.(bytesRead);
    yield chunk;
  }
}

/** Goes by the content, not by the name: `<(curl ...)` has no name to go by. */
async function* gunzipped(source: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const { value: first, done } = await source.next();
  if (done === true) return;
  const whole = startingWith(first, source);
  const isGzip = first[0] === 0x1f && first[1] === 0x8b;
  // An error on the way destroys the last stream with it, where the loop over it meets it.
  yield* isGzip ? pipeline(whole, createGunzip({ chunkSize: CHUNK_BYTES }), () => {}) : whole;
}

async function* startingWith(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

function explain(error: unknown, path: string): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "Z_BUF_ERROR") return new ExportFault([`${path}: the gzip file ends early`]);
  if (code.startsWith("Z_")) return new ExportFault([`${path}: the gzip file is damaged`]);
  if (code === "ENOENT") return new ExportFault([`${path}: there is no such file`]);
  if (code === "EISDIR") return new ExportFault([`${path}: this is a folder, not a file`]);
  if (code === "EACCES") return new ExportFault([`${path}: this file may not be read`]);
  return error;
}
