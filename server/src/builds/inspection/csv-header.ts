const CELL = /"((?:[^"]|"")*)"|([^,]*)/y;

/** The cells of a CSV's first row. A byte order mark before it and a line break behind it do not count. */
export function parseHeader(text: string): string[] {
  const row = text.replace(/^\ufeff/, "").replace(/\r?\n$/, "");
  const cells: string[] = [];
  for (let at = 0; at <= row.length; ) {
    CELL.lastIndex = at;
    const [whole = "", quoted, plain = ""] = CELL.exec(row) ?? [];
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    at += whole.length;
    // Text behind a closing quote was told of already; the next cell is behind the next comma.
    while (at < row.length && row[at] !== ",") at += 1;
    at += 1;
  }
  return cells;
}
