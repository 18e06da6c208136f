export interface CsvFormat {
  lineEnd: "\n" | "\r\n";
  /** Which cells to quote. */
  needsQuotes: RegExp;
}

/** Quotes only where RFC 4180 requires it, so that equal rows are equal bytes. */
const MINIMAL: CsvFormat = { lineEnd: "\n", needsQuotes: /[",\r\n]/ };

export function formatCsvRow(cells: readonly string[], { lineEnd, needsQuotes }: CsvFormat = MINIMAL): string {
  // Without quotes, a row with one empty cell would be a blank line, which readers skip.
  if (cells.length === 1 && cells[0] === "") return `""${lineEnd}`;
  const quoted = cells.map((cell) => (needsQuotes.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell));
  return quoted.join(",") + lineEnd;
}
