import { sanitize } from "./control-characters.ts";
import { formatTime } from "./format.ts";
import { displayWidth, pad, truncate } from "./width.ts";
import { wrap } from "./wrap.ts";

/** Colours a cell whose width has been measured. */
export type Paint = (text: string, column: number) => string;

export interface TableOptions {
  /** Width of the terminal; if undefined, every column is as wide as its content. */
  columns?: number | undefined;
  paint?: Paint;
  /** How many columns from the left are never truncated (default: 1, which identifies the row). */
  wholeColumns?: number | undefined;
}

const GAP = "  ";
/** A narrower cell is hard to read, so the last columns are dropped instead. */
const CELL_COLUMNS_MIN = 12;

/** Rows under headings; `none` if there are no rows. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly Cell[])[],
  none: string,
  { columns, paint = (text) => text, wholeColumns = 1 }: TableOptions = {},
): string {
  if (rows.length === 0) return `${none}\n`;
  const lines = [headings, ...rows].map((row) => row.map(formatCell));
  const widths = fittedWidths(
    headings.map((_, column) => Math.max(...lines.map((line) => displayWidth(line[column] ?? "")))),
    columns,
    wholeColumns,
  );
  return lines
    .map(
      (line, row) =>
        `${widths
          .map((width, i) => drawCell(line[i] ?? "", width, i, row))
          .join(GAP)
          .trimEnd()}\n`,
    )
    .join("");

  function drawCell(cell: string, width: number, column: number, row: number): string {
    const text = truncate(cell, width);
    const spaces = pad(text, width).slice(text.length);
    return (row === 0 ? text : paint(text, column)) + spaces;
  }
}

/**
 * Narrows the widest columns first, so that short ones stay whole, then drops columns from the right.
 * The first `wholeColumns` columns are never truncated.
 */
function fittedWidths(wanted: readonly number[], columns: number | undefined, wholeColumns: number): number[] {
  const widths = [...wanted];
  if (columns === undefined) return widths;
  const total = (of: readonly number[]) => of.reduce((sum, width) => sum + width + GAP.length, -GAP.length);
  const floors = wanted.map((width, i) => (i < wholeColumns ? width : Math.min(width, CELL_COLUMNS_MIN)));
  while (widths.length > 1 && total(floors.slice(0, widths.length)) > columns) {
    widths.pop();
  }
  while (total(widths) > columns) {
    const spare = widths.map((width, i) => (width > (floors[i] ?? 0) ? width : 0));
    const widest = spare.indexOf(Math.max(...spare));
    if (!spare[widest]) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

/** "name  value" lines that describe a single object. */
export function details(fields: Record<string, Cell>, { columns }: Pick<TableOptions, "columns"> = {}): string {
  const width = Math.max(...Object.keys(fields).map((name) => name.length)) + GAP.length;
  return Object.entries(fields)
    .flatMap(([name, value]) =>
      wrap(formatCell(value), columns && Math.max(1, columns - width)).map(
        (line, i) => `${(i === 0 ? name : "").padEnd(width)}${line}\n`,
      ),
    )
    .join("");
}

export type Cell = string | number | Date | null | undefined | readonly string[];

function formatCell(cell: Cell): string {
  if (cell === null || cell === undefined) return "-";
  if (cell instanceof Date) return formatTime(cell);
  if (Array.isArray(cell)) return cell.length === 0 ? "-" : sanitize(cell.join(","));
  return sanitize(String(cell));
}
