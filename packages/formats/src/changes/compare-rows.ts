import { splitRow } from "../csv/row.ts";
import { formatCsvRow } from "../csv/write.ts";
import type { Row } from "./rows.ts";

/** Receives the differences between two tables. */
export interface ChangeSink {
  added(cells: string[]): void;
  removed(cells: string[]): void;
  changed(before: string[], after: string[]): void;
  unchanged(count: number): void;
  /** Called once for each key that several rows of a table have. */
  repeated(): void;
  /** If defined, called instead of `added` and `removed` for such a key if its rows differ, with all of its rows. */
  replaced?(before: string[][], after: string[][]): void;
}

/**
 * Compares the rows of both tables that have the same key. A row counts as changed only if its key occurs once in both
 * tables. Otherwise it is not known which row became which, so rows are removed and added.
 */
export function compareRows(before: readonly Row[], after: readonly Row[], sink: ChangeSink): void {
  const [row, next] = [before[0], after[0]];
  if (before.length === 1 && after.length === 1 && row && next) {
    compareRow(row, next, sink);
    return;
  }
  const isRepeated = before.length > 1 || after.length > 1;
  if (isRepeated) sink.repeated();
  const rest = new Map<string, number>();
  const rows = before.map(({ text }) => splitRow(text));
  const nextRows = after.map(({ text }) => splitRow(text));
  for (const cells of nextRows) {
    const text = formatCsvRow(cells);
    rest.set(text, (rest.get(text) ?? 0) + 1);
  }
  const removed = rows.filter((cells) => !take(rest, formatCsvRow(cells)));
  const added = nextRows.filter((cells) => take(rest, formatCsvRow(cells)));
  if (isRepeated && sink.replaced) {
    if (removed.length > 0 || added.length > 0) sink.replaced(rows, nextRows);
    return;
  }
  sink.unchanged(rows.length - removed.length);
  for (const cells of removed) sink.removed(cells);
  for (const cells of added) sink.added(cells);
}

function compareRow(row: Row, next: Row, sink: ChangeSink): void {
  const [cells, nextCells] = row.text === next.text ? [[], []] : [splitRow(row.text), splitRow(next.text)];
  // Equal cells can be quoted differently.
  const isSame = cells.length === nextCells.length && cells.every((cell, i) => cell === nextCells[i]);
  if (isSame) sink.unchanged(1);
  else sink.changed(cells, nextCells);
}

/** Takes one of the rows, if there is any left. */
function take(counts: Map<string, number>, text: string): boolean {
  const count = counts.get(text) ?? 0;
  if (count > 0) counts.set(text, count - 1);
  return count > 0;
}
