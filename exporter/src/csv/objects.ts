import { ExportFault } from "../export-fault.ts";
import type { SourceRow } from "./parser.ts";

export type CellValue = string | number | bigint | boolean | null | undefined;
/** A row by the names of its columns. What is absent, null or undefined is an empty cell. */
export type ObjectRow = Readonly<Record<string, CellValue>>;

const ROWS_AT_A_TIME = 1000;

/** Rows of a program, as if they came from a CSV file. The first row's keys are the columns. */
export async function* fromObjects(rows: AsyncIterable<ObjectRow> | Iterable<ObjectRow>): AsyncGenerator<SourceRow[]> {
  let header: string[] | undefined;
  let batch: SourceRow[] = [];
  let line = 0;
  for await (const row of rows) {
    line++;
    if (header === undefined) {
      header = Object.keys(row);
      batch.push({ line: 0, cells: header });
    }
    batch.push({ line, cells: cellsOf(row, header, line) });
    if (batch.length < ROWS_AT_A_TIME) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

function cellsOf(row: ObjectRow, header: string[], line: number): string[] {
  const unknown = Object.keys(row).find((name) => !header.includes(name));
  if (unknown !== undefined) {
    throw new ExportFault([`row ${line}: the column ${JSON.stringify(unknown)} is not in the first row`]);
  }
  return header.map((name) => {
    const cell = String(row[name] ?? "");
    if (!cell.isWellFormed()) {
      throw new ExportFault([`row ${line}: column ${JSON.stringify(name)} is not valid Unicode`]);
    }
    return cell;
  });
}
