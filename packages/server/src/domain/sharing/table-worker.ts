/** Writes the rows of a csv.gz, or the changes between two of them, as Parquet on a thread of its own. */
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { parentPort, workerData } from "node:worker_threads";
import { createGunzip } from "node:zlib";
import { compareTables } from "@dbdepot/formats/changes/compare";
import type { ChangeSink } from "@dbdepot/formats/changes/compare-rows";
import { readCsv } from "@dbdepot/formats/csv/read";
import { typedColumns } from "./column-types.ts";
import { CellFault, CHANGE_TYPE, RowsToParquet } from "./parquet-writer.ts";
import type { FromTableWorker, TableWork } from "./write-table.ts";

const CHUNK_BYTES = 64 * 1024;
/** Readers add these to the changes. */
const RESERVED = [CHANGE_TYPE, "_commit_version", "_commit_timestamp"];

/** The CSV cannot be written as a table. */
class TableFault extends Error {}

const work = workerData as TableWork;
const aborted = new AbortController();
parentPort?.once("message", () => aborted.abort());

try {
  parentPort?.postMessage(await (work.base ? writeChanges(work.base) : writeRows()));
} catch (error) {
  if (!(error instanceof TableFault)) throw error;
  parentPort?.postMessage({ fault: error.message } satisfies FromTableWorker);
} finally {
  parentPort?.close();
}

async function writeRows(): Promise<FromTableWorker> {
  let writer: RowsToParquet | undefined;
  let header: string[] = [];
  let count = 0;
  for await (const rows of readCsv(text(work.path), { allowInvalidUtf8: true, keepBlankLines: false })) {
    for (const row of rows) {
      const cells = row.cells();
      if (!writer) {
        header = cells;
        writer = open(header, false);
        continue;
      }
      count += 1;
      addTo(writer, cells, undefined, `row ${count}`);
    }
  }
  if (!writer) throw new TableFault("the csv.gz has no header");
  return { files: await writer.finish(), columns: columnsOf(header) };
}

async function writeChanges({ path, key, strategy }: NonNullable<TableWork["base"]>): Promise<FromTableWorker> {
  let writer: RowsToParquet | undefined;
  let header: readonly string[] = [];
  let count = 0;
  const compared = await compareTables({
    open: (side) => text(side === "before" ? path : work.path),
    keyOf(columns) {
      const found = key.map((name) => columns.indexOf(name)).filter((index) => index !== -1);
      return found.length > 0 ? found : [0];
    },
    createSink(columns) {
      header = columns;
      const opened = open(columns, true);
      writer = opened;
      const add = (cells: readonly string[], changeType: string) => {
        count += 1;
        addTo(opened, cells, changeType, `change ${count}`);
      };
      return {
        added: (cells) => add(cells, "insert"),
        removed: (cells) => add(cells, "delete"),
        changed(before, after) {
          add(before, "update_preimage");
          add(after, "update_postimage");
        },
        unchanged() {},
        repeated() {},
      } satisfies ChangeSink;
    },
    strategy,
  });
  if ("reason" in compared || !writer) throw new TableFault("reason" in compared ? compared.reason : "no header");
  return { files: count === 0 ? [] : await writer.finish(), columns: columnsOf(header) };
}

function open(header: readonly string[], hasChangeType: boolean): RowsToParquet {
  const names = new Set<string>();
  for (const name of header) {
    // Most programs that read tables ignore the case of names.
    const folded = name.toLowerCase();
    if (names.has(folded)) throw new TableFault(`two columns are named ${JSON.stringify(name)}`);
    if (RESERVED.includes(folded)) throw new TableFault(`the name of the column ${name} is reserved for changes`);
    names.add(folded);
  }
  const { columns, directory, maxFileBytes, metadata } = work;
  return new RowsToParquet({
    columns: typedColumns(header, columns),
    hasChangeType,
    directory,
    maxFileBytes,
    metadata,
  });
}

function columnsOf(header: readonly string[]) {
  return typedColumns(header, work.columns).map(({ name, type }) => ({ name, type }));
}

function addTo(writer: RowsToParquet, cells: readonly string[], changeType: string | undefined, where: string): void {
  try {
    writer.add(cells, changeType);
  } catch (error) {
    throw error instanceof CellFault ? new TableFault(`${where}, ${error.message}`) : error;
  }
}

async function* text(path: string): AsyncGenerator<Buffer> {
  // Errors of the file destroy the decompressor, whose reader gets them.
  const chunks = pipeline(createReadStream(path), createGunzip({ chunkSize: CHUNK_BYTES }), () => {});
  for await (const chunk of chunks as AsyncIterable<Buffer>) {
    aborted.signal.throwIfAborted();
    yield chunk;
  }
}
