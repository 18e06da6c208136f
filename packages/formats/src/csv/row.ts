import type { ScannedRow } from "./scan.ts";

/**
 * One row of a CSV. Its cells are decoded on demand, because some callers only count them. Decode them before the parser
 * gets the next chunk: the row refers to the chunk's memory.
 */
export class CsvRow {
  /** The line on which the row begins, from 1. */
  readonly line: number;
  readonly #bytes: Buffer;
  readonly #start: number;
  readonly #scanned: ScannedRow;

  constructor(line: number, bytes: Buffer, start: number, scanned: ScannedRow) {
    this.line = line;
    this.#bytes = bytes;
    this.#start = start;
    this.#scanned = scanned;
  }

  get cellCount(): number {
    return this.#scanned.cellCount;
  }

  /** The row as it is written in the file, without its line end. */
  text(): string {
    return this.#bytes.toString("utf8", this.#start, this.#scanned.end);
  }

  cells(): string[] {
    return this.#scanned.hasQuotes ? splitQuoted(this.text()) : this.text().split(",");
  }
}

/** Splits the text of a row that was parsed before. */
export function splitRow(text: string): string[] {
  return text.includes('"') ? splitQuoted(text) : text.split(",");
}

/** Splits a row whose syntax has been checked. */
function splitQuoted(text: string): string[] {
  const cells: string[] = [];
  let start = 0;
  while (start <= text.length) {
    const isQuoted = text[start] === '"';
    const end = isQuoted ? closingQuote(text, start + 1) + 1 : endOfPlainCell(text, start);
    cells.push(isQuoted ? text.slice(start + 1, end - 1).replaceAll('""', '"') : text.slice(start, end));
    start = end + 1;
  }
  return cells;
}

/** A doubled quote is part of the cell. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

function endOfPlainCell(text: string, from: number): number {
  const comma = text.indexOf(",", from);
  return comma === -1 ? text.length : comma;
}
