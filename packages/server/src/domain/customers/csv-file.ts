import { CsvError } from "@dbdepot/formats/csv/error";
import { CsvParser } from "@dbdepot/formats/csv/parser";
import type { CsvRow } from "@dbdepot/formats/csv/row";
import { formatCsvRow } from "@dbdepot/formats/csv/write";
import type { LineFaults } from "../../platform/primitives/bad-lines.ts";
import {
  applies,
  COLUMN_NAMES,
  type ColumnName,
  columnOf,
  isColumn,
  isRecordKind,
  KIND_NAMES,
  type RawRecord,
  RECORD_KINDS,
  type RecordKind,
} from "./columns.ts";

const FIRST_COLUMNS = ["kind", "organization"] as const;
const FIRST_LINE = `the first line must name the columns, for example ${FIRST_COLUMNS.join(",")},name`;
const FLAGS: Readonly<Record<string, boolean>> = { true: true, yes: true, false: false, no: false };
const DIGITS = /^\d+$/;
/** Spreadsheets would treat such a cell as a formula. */
const FORMULA = /^'*[=+\-@]/;

/** Reads one record per row. A column that is missing says nothing about its values; an empty cell is an empty value. */
export function parseCustomersCsv(bytes: Buffer, faults: LineFaults, maxRecords: number): RawRecord[] {
  const records: RawRecord[] = [];
  let header: string[] | undefined;
  try {
    for (const row of rowsOf(bytes)) {
      if (!header) {
        header = row.cells().map((cell) => cell.trim().toLowerCase());
        const fault = headerFault(header);
        if (fault) {
          faults.add(row.line, fault);
          return [];
        }
        continue;
      }
      if (records.length >= maxRecords) {
        faults.add(row.line, `the file has more than ${maxRecords} records: import it in parts`);
        return [];
      }
      const record = parseRow(row, header, faults);
      if (record) records.push(record);
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    faults.add(error.line, error.message.replace(/^line \d+(, )?(: )?/, ""));
  }
  if (!header) faults.add(1, `the file is empty: ${FIRST_LINE}`);
  return records;
}

function* rowsOf(bytes: Buffer): Generator<CsvRow> {
  const parser = new CsvParser();
  yield* parser.push(bytes);
  yield* parser.end();
}

function headerFault(columns: readonly string[]): string | undefined {
  const [first = ""] = columns;
  if (columns.length === 1 && first.includes(";")) {
    return "the columns are separated by semicolons: save the file as CSV with commas";
  }
  // Columns are named by number, because in a file without a header, the "name" may be a secret.
  const unknown = columns.findIndex((name) => !isFirstColumn(name) && !isColumn(name));
  if (unknown >= 0) {
    return `column ${unknown + 1} is unknown: choose from ${[...FIRST_COLUMNS, ...COLUMN_NAMES].join(", ")}`;
  }
  const missing = FIRST_COLUMNS.find((name) => !columns.includes(name));
  if (missing !== undefined) return `the column ${missing} is missing: ${FIRST_LINE}`;
  const twice = columns.find((name, index) => columns.indexOf(name) < index);
  return twice === undefined ? undefined : `the column ${twice} appears twice`;
}

function isFirstColumn(name: string): boolean {
  return (FIRST_COLUMNS as readonly string[]).includes(name);
}

function parseRow(row: CsvRow, header: readonly string[], faults: LineFaults): RawRecord | undefined {
  const { line } = row;
  const cells = row.cells().map((cell) => unescapeFormula(cell.trim()));
  if (cells.every((cell) => cell === "")) return undefined;
  if (cells.length !== header.length) {
    faults.add(line, `it has ${cells.length} cells, but the first line has ${header.length}`);
    return undefined;
  }
  const byName = new Map(header.map((name, index) => [name, cells[index] ?? ""]));
  const kind = (byName.get("kind") ?? "").toLowerCase();
  if (!isRecordKind(kind)) {
    faults.add(line, `the kind must be one of ${RECORD_KINDS.join(", ")}`);
    return undefined;
  }
  const record: RawRecord = { line, kind, organization: byName.get("organization") ?? "", values: {} };
  for (const [name, cell] of byName) {
    if (isFirstColumn(name) || !isColumn(name)) continue;
    if (applies(name, kind)) record.values[name] = parseCell(name, cell, line, faults);
    else if (cell !== "") faults.add(line, doesNotApply(name, kind));
  }
  return record;
}

/** The cell is not quoted, because it may be a secret in the wrong column. */
export function doesNotApply(name: string, kind: RecordKind): string {
  return `${name} does not belong to a record of the kind ${KIND_NAMES[kind]}`;
}

function parseCell(
  name: ColumnName,
  cell: string,
  line: number,
  faults: LineFaults,
): string | number | string[] | boolean | null {
  const { type } = columnOf(name);
  if (type === "list") return cell.split(/[\s;,]+/).filter((part) => part !== "");
  if (cell === "") return null;
  if (type === "text") return cell;
  // The check of the value reports what is not a number.
  if (type === "number") return DIGITS.test(cell) ? Number(cell) : Number.NaN;
  const flag = FLAGS[cell.toLowerCase()];
  if (flag === undefined) faults.add(line, `${name} must be true or false`);
  return flag ?? null;
}

/** Writes the records as CSV, with all columns, so that empty values are part of the file. */
export function formatCustomersCsv(records: readonly Omit<RawRecord, "line">[]): string {
  const rows = records.map(({ kind, organization, values }) =>
    formatCsvRow([kind, escapeFormula(organization), ...COLUMN_NAMES.map((name) => cellOf(values[name]))]),
  );
  return formatCsvRow([...FIRST_COLUMNS, ...COLUMN_NAMES]) + rows.join("");
}

function cellOf(value: RawRecord["values"][ColumnName]): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "boolean" || typeof value === "number") return String(value);
  return escapeFormula(typeof value === "string" ? value : value.join(" "));
}

/** Customers choose the names of their keys. An apostrophe keeps a spreadsheet from evaluating one. */
function escapeFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

function unescapeFormula(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}
