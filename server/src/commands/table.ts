import { stripVTControlCharacters } from "node:util";

/** Rows under headings, each column as wide as it needs; a line for "none" when there are no rows. */
export function table(headings: readonly string[], rows: readonly (readonly Cell[])[], none: string): string {
  if (rows.length === 0) return `${none}\n`;
  const lines = [headings, ...rows].map((row) => row.map(show));
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, i) => cell.padEnd(widths[i] ?? 0))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}

/** "name  value" lines, for one thing. */
export function details(fields: Record<string, Cell>): string {
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  return Object.entries(fields)
    .map(([name, value]) => `${name.padEnd(width)}  ${show(value)}\n`)
    .join("");
}

export type Cell = string | number | Date | null | undefined | readonly string[];

function show(cell: Cell): string {
  if (cell === null || cell === undefined) return "-";
  if (cell instanceof Date) return cell.toISOString().replace(".000Z", "Z");
  if (Array.isArray(cell)) return cell.length === 0 ? "-" : cell.join(",");
  // Text comes from customers too (user agents, names): nothing in it may steer the terminal.
  return stripVTControlCharacters(String(cell)).replace(/\p{Cc}/gu, " ");
}
