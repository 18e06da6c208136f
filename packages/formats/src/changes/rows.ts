import { readCsv } from "../csv/read.ts";
import { type CsvRow, splitRow } from "../csv/row.ts";
import { formatCsvRow } from "../csv/write.ts";
import { KEY_SEPARATOR } from "./order.ts";

/** A row of a table and the cells that identify it. */
export interface Row {
  key: string;
  text: string;
}

/** Null: a row is identified by all of its cells. */
export type KeyColumns = readonly number[] | null;

/** A table that is being read. */
export interface Table {
  header: string[];
  /** Rows in the order of the file, as many at a time as a chunk contains. */
  batches: AsyncGenerator<Row[], void>;
  /** Closes the source if it was not read to its end. */
  close(): Promise<unknown>;
}

/** Reads the header. The key may depend on it. */
export async function openTable(
  source: AsyncIterable<Buffer>,
  keyOf: (header: readonly string[]) => KeyColumns,
): Promise<Table> {
  const parsed = readCsv(source, { allowInvalidUtf8: true });
  const close = () => parsed.return(undefined);
  for (;;) {
    const { value: rows, done } = await parsed.next();
    if (done) return { header: [], batches: batchesOf([], parsed, null), close };
    const [first, ...rest] = rows;
    if (!first) continue;
    const header = first.cells();
    return { header, batches: batchesOf(rest, parsed, keyOf(header)), close };
  }
}

async function* batchesOf(
  first: CsvRow[],
  rest: AsyncGenerator<Iterable<CsvRow>>,
  columns: KeyColumns,
): AsyncGenerator<Row[], void> {
  yield first.map((row) => toRow(row, columns));
  for await (const rows of rest) {
    const batch: Row[] = [];
    for (const row of rows) batch.push(toRow(row, columns));
    yield batch;
  }
}

function toRow(row: CsvRow, columns: KeyColumns): Row {
  const text = row.text();
  return { text, key: columns === null ? canonical(text) : keyOf(text, columns) };
}

/** Rows with the same cells are the same, however they are quoted. */
function canonical(text: string): string {
  return text.includes('"') ? formatCsvRow(splitRow(text)).slice(0, -1) : text;
}

function keyOf(text: string, columns: readonly number[]): string {
  // Most tables have a single key in front, which needs no splitting.
  if (columns.length === 1 && columns[0] === 0 && !text.startsWith('"')) {
    const comma = text.indexOf(",");
    return comma === -1 ? text : text.slice(0, comma);
  }
  const cells = splitRow(text);
  return columns.map((column) => cells[column] ?? "").join(KEY_SEPARATOR);
}
