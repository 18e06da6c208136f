export interface CsvFormat {
  lineEnd: "\n" | "\r\n";
  /** Matches cells that must be quoted. */
  needsQuotes: RegExp;
}

/** Quotes only where RFC 4180 requires it, so that equal rows are equal bytes. */
const MINIMAL: CsvFormat = { lineEnd: "\n", needsQuotes: /[",\r\n]/ };

export function formatCsvRow(cells: readonly string[], { lineEnd, needsQuotes }: CsvFormat = MINIMAL): string {
  // A row with one empty cell is quoted, because readers would skip it as a blank line.
  if (cells.length === 1 && cells[0] === "") return `""${lineEnd}`;
  const quoted = cells.map((cell) => (needsQuotes.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell));
  return quoted.join(",") + lineEnd;
}
