const NEEDS_QUOTES = /[",\r\n]/;

/** One line of RFC 4180, with LF: quotes only where they are needed, so equal rows are equal bytes. */
export function csvLine(cells: readonly string[]): string {
  // Written bare, a row of one empty cell would be a blank line, which readers skip.
  if (cells.length === 1 && cells[0] === "") return '""\n';
  return `${cells.map(csvCell).join(",")}\n`;
}

function csvCell(cell: string): string {
  return NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
