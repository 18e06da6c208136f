import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { CsvError } from "@dbdepot/formats/csv/error";
import { readCsv } from "@dbdepot/formats/csv/read";
import type { CsvRow } from "@dbdepot/formats/csv/row";
import { ExportFault } from "../export-fault.ts";
import type { InputRow } from "./row.ts";

const CHUNK_BYTES = 256 * 1024;

/** Reads the rows of a CSV file, plain or gzipped, in batches. The header is the first row. */
export async function* readCsvFile(
  path: string,
  onBytes?: (bytesRead: number) => void,
): AsyncGenerator<Iterable<InputRow>> {
  try {
    for await (const rows of readCsv(gunzipIfNeeded(readBytes(path, onBytes)))) yield toInputRows(rows);
  } catch (error) {
    throw toExportFault(error, path);
  }
}

/** Yields the rows before a syntax error, so that their faults are reported too. */
function* toInputRows(rows: Iterable<CsvRow>): Generator<InputRow> {
  try {
    for (const row of rows) yield { line: row.line, cells: row.cells() };
  } catch (error) {
    throw error instanceof CsvError ? new ExportFault([error.message]) : error;
  }
}

async function* readBytes(path: string, onBytes?: (bytesRead: number) => void): AsyncGenerator<Buffer> {
  let bytesRead = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
    bytesRead += chunk.length;
    onBytes?.(bytesRead);
    yield chunk;
  }
}

/** Decides by content, because a pipe such as `<(curl ...)` has no file name extension. */
async function* gunzipIfNeeded(source: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const { value: first, done } = await source.next();
  if (done === true) return;
  const whole = prepend(first, source);
  const isGzip = first[0] === 0x1f && first[1] === 0x8b;
  // An error in either stream destroys both, and the loop over the last one throws it.
  yield* isGzip ? pipeline(whole, createGunzip({ chunkSize: CHUNK_BYTES }), () => {}) : whole;
}

async function* prepend(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield first;
    yield* rest;
  } finally {
    // Closes the file even if the reader stops at the first chunk. An open pipe would keep the process running.
    await rest.return(undefined);
  }
}

function toExportFault(error: unknown, path: string): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "Z_BUF_ERROR") return new ExportFault([`${path}: gzip file is truncated`]);
  if (code.startsWith("Z_")) return new ExportFault([`${path}: gzip file is damaged`]);
  if (code === "ENOENT") return new ExportFault([`${path}: no such file`]);
  if (code === "EISDIR") return new ExportFault([`${path}: is a directory, not a file`]);
  if (code === "EACCES") return new ExportFault([`${path}: permission denied`]);
  return error;
}
