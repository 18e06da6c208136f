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
  if (before.length > 1 || after.length > 1) sink.repeated();
  const rest = new Map<string, number>();
  const canonical = after.map(({ text }) => formatCsvRow(splitRow(text)));
  for (const text of canonical) rest.set(text, (rest.get(text) ?? 0) + 1);
  for (const { text } of before) {
    const cells = splitRow(text);
    if (!take(rest, formatCsvRow(cells))) sink.removed(cells);
    else sink.unchanged(1);
  }
  for (const [i, { text }] of after.entries()) {
    if (take(rest, canonical[i] as string)) sink.added(splitRow(text));
  }
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
