import { stripVTControlCharacters } from "node:util";
import { cut, padded, widthOf } from "./width.ts";
import { wrapped } from "./wrapped.ts";

export interface TableOptions {
  /** How wide the screen is; left out: every column is as wide as it needs. */
  columns?: number | undefined;
  /** Colours a cell. Its width is measured before. */
  paint?(text: string, column: number): string;
}

const GAP = "  ";
/** What is cut further says nothing any more: then the last columns are left out. */
const CELL_COLUMNS_MIN = 12;

/** Rows under headings, each column as wide as it needs; a line for "none" when there are no rows. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly Cell[])[],
  none: string,
  { columns, paint = (text) => text }: TableOptions = {},
): string {
  if (rows.length === 0) return `${none}\n`;
  const lines = [headings, ...rows].map((row) => row.map(show));
  const widths = fittedWidths(
    headings.map((_, column) => Math.max(...lines.map((line) => widthOf(line[column] ?? "")))),
    columns,
  );
  return lines
    .map(
      (line, row) =>
        `${widths
          .map((width, i) => drawn(line[i] ?? "", width, i, row))
          .join(GAP)
          .trimEnd()}\n`,
    )
    .join("");

  function drawn(cell: string, width: number, column: number, row: number): string {
    const text = cut(cell, width);
    const spaces = padded(text, width).slice(text.length);
    return (row === 0 ? text : paint(text, column)) + spaces;
  }
}

/**
 * What is too wide is taken from the widest columns, so that short ones stay whole, and then from the last. The first
 * column is never cut: it names the row.
 */
function fittedWidths(wanted: readonly number[], columns: number | undefined): number[] {
  const widths = [...wanted];
  if (columns === undefined) return widths;
  const total = (of: readonly number[]) => of.reduce((sum, width) => sum + width + GAP.length, -GAP.length);
  const floors = wanted.map((width, i) => (i === 0 ? width : Math.min(width, CELL_COLUMNS_MIN)));
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

/** "name  value" lines, for one thing. */
export function details(fields: Record<string, Cell>, { columns }: Pick<TableOptions, "columns"> = {}): string {
  const width = Math.max(...Object.keys(fields).map((name) => name.length)) + GAP.length;
  return Object.entries(fields)
    .flatMap(([name, value]) =>
      wrapped(show(value), columns && Math.max(1, columns - width)).map(
        (line, i) => `${(i === 0 ? name : "").padEnd(width)}${line}\n`,
      ),
    )
    .join("");
}

export type Cell = string | number | Date | null | undefined | readonly string[];

function show(cell: Cell): string {
  if (cell === null || cell === undefined) return "-";
  if (cell instanceof Date) return cell.toISOString().replace(".000Z", "Z");
  if (Array.isArray(cell)) return cell.length === 0 ? "-" : cell.join(",");
  return harmless(String(cell));
}

/** Text comes from others too (user agents, names, answers): nothing in it may steer the terminal. */
export function harmless(text: string): string {
  return stripVTControlCharacters(text).replace(/\p{Cc}/gu, " ");
}
