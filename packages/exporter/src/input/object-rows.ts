import { ExportFault } from "../export-fault.ts";
import type { InputRow } from "./row.ts";

type CellValue = string | number | bigint | boolean | null | undefined;
/** A row keyed by column name. Missing, null and undefined values are empty cells. */
export type ObjectRow = Readonly<Record<string, CellValue>>;

const BATCH_ROWS = 1000;

/** Converts row objects to input rows, header first. The keys of the first row are the columns. */
export async function* readObjectRows(
  rows: AsyncIterable<ObjectRow> | Iterable<ObjectRow>,
): AsyncGenerator<InputRow[]> {
  let header: string[] | undefined;
  let batch: InputRow[] = [];
  let line = 0;
  for await (const row of rows) {
    line++;
    if (header === undefined) {
      header = Object.keys(row);
      batch.push({ line: 0, cells: header });
    }
    batch.push({ line, cells: toCells(row, header, line) });
    if (batch.length < BATCH_ROWS) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

function toCells(row: ObjectRow, header: string[], line: number): string[] {
  const unknown = Object.keys(row).find((name) => !header.includes(name));
  if (unknown !== undefined) {
    throw new ExportFault([`row ${line}: column ${JSON.stringify(unknown)} is not in the first row`]);
  }
  return header.map((name) => {
    const cell = String(row[name] ?? "");
    if (!cell.isWellFormed()) throw new ExportFault([`row ${line}: column ${JSON.stringify(name)}: invalid Unicode`]);
    return cell;
  });
}
