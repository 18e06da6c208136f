import { type ColumnType, parseCell } from "./columns/column-type.ts";
import { readCsvFile } from "./input/csv-file.ts";
import { DataSection } from "./mmdb/data-section.ts";
import type { MapValue, Value } from "./mmdb/value.ts";
import type { TableColumn } from "./table.ts";

export interface Records {
  data: DataSection;
  /** The offset of each row's record in the data section. */
  offsets: Uint32Array;
}

/** Reads the csv.gz that was just written, now that the column types are known. */
export async function encodeRecords(
  csvPath: string,
  columns: readonly TableColumn[],
  types: readonly ColumnType[],
  entries: number,
  onRows: (rows: number) => void,
): Promise<Records> {
  const data = new DataSection();
  const offsets = new Uint32Array(entries);
  let row = -1;
  for await (const batch of readCsvFile(csvPath)) {
    for (const { cells } of batch) {
      if (row >= 0) offsets[row] = data.store(recordOf(columns, types, cells));
      row++;
    }
    onRows(Math.max(0, row));
  }
  return { data, offsets };
}

/** A field for each cell that is not empty. The network is in the tree, not in the record. */
function recordOf(columns: readonly TableColumn[], types: readonly ColumnType[], cells: readonly string[]): MapValue {
  const fields: [string, Value][] = [];
  for (let i = 0; i < columns.length; i++) {
    const { name, isKey } = columns[i] as TableColumn;
    const cell = cells[i] as string;
    if (isKey || cell === "") continue;
    const value = parseCell(types[i] as ColumnType, cell);
    if (value !== undefined) fields.push([name, value]);
  }
  return { type: "map", value: fields };
}
