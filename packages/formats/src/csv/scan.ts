export const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const QUOTE = 34;
const COMMA = 44;

export interface ScannedRow {
  /** The end of the row's last cell. */
  end: number;
  /** The start of the next row. */
  next: number;
  cellCount: number;
  hasQuotes: boolean;
}

interface ScanError {
  errorAt: number;
  reason: string;
}

/**
 * Finds the end of the row that starts at `start` and checks its syntax. Returns undefined if the bytes end before the
 * row does; at the end of the file (`isLast`), the end of the bytes ends the row.
 */
export function scanRow(bytes: Buffer, start: number, isLast: boolean): ScannedRow | ScanError | undefined {
  let at = start;
  let cellCount = 1;
  let hasQuotes = false;
  for (;;) {
    const isQuoted = bytes[at] === QUOTE;
    if (isQuoted) {
      const close = findClosingQuote(bytes, at + 1);
      if (close === -1) return isLast ? { errorAt: at, reason: "quote is never closed" } : undefined;
      hasQuotes = true;
      at = close + 1;
    } else {
      at = findCellEnd(bytes, at);
    }
    if (at === bytes.length) return isLast ? { end: at, next: at, cellCount, hasQuotes } : undefined;
    const byte = bytes[at];
    if (byte === COMMA) {
      cellCount += 1;
      at += 1;
    } else if (byte === LINE_FEED) {
      return { end: at, next: at + 1, cellCount, hasQuotes };
    } else if (byte === CARRIAGE_RETURN) {
      if (bytes[at + 1] === LINE_FEED) return { end: at, next: at + 2, cellCount, hasQuotes };
      if (at + 1 < bytes.length) return { errorAt: at, reason: "carriage return without line feed" };
      return isLast ? { end: at, next: at + 1, cellCount, hasQuotes } : undefined;
    } else {
      return { errorAt: at, reason: isQuoted ? "text after a closing quote" : "quote inside an unquoted cell" };
    }
  }
}

/** A doubled quote is part of the cell. Returns -1 if there is no closing quote. */
function findClosingQuote(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at += 1) {
    if (bytes[at] !== QUOTE) continue;
    if (bytes[at + 1] !== QUOTE) return at;
    at += 1;
  }
  return -1;
}

function findCellEnd(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at] as number;
    // The comma is the highest of the four special characters, so this test decides for most bytes.
    if (byte <= COMMA && (byte === COMMA || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === QUOTE)) break;
    at += 1;
  }
  return at;
}
