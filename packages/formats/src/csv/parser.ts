import { isUtf8 } from "node:buffer";
import { CsvError } from "./error.ts";
import { CsvRow } from "./row.ts";
import { LINE_FEED, scanRow } from "./scan.ts";

export interface CsvParserOptions {
  /** Return a blank line as a row with one empty cell (default: skip blank lines). */
  keepBlankLines?: boolean;
  /** Replace invalid UTF-8 with U+FFFD (default: throw a CsvError). */
  allowInvalidUtf8?: boolean;
}

/** Limits the memory that an unclosed quote can use. */
const MAX_ROW_BYTES = 1024 * 1024;
const BYTE_ORDER_MARK = Buffer.from("\ufeff");

/**
 * Parses CSV (RFC 4180) chunk by chunk, in constant memory. Rows end with LF or CRLF, and a leading byte order mark is
 * dropped. Throws a CsvError at the first syntax error.
 */
export class CsvParser {
  readonly #options: CsvParserOptions;
  /** The start of a row that is not complete yet. */
  #rest: Buffer = Buffer.alloc(0);
  /** The line on which the next row begins. */
  #line = 1;
  #isStart = true;
  #hasByteOrderMark = false;

  constructor(options: CsvParserOptions = {}) {
    this.#options = options;
  }

  get hasByteOrderMark(): boolean {
    return this.#hasByteOrderMark;
  }

  /** Yields the rows that are complete. Exhaust it before the next call. */
  push(chunk: Buffer): Generator<CsvRow> {
    return this.#parse(this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]), false);
  }

  /** Yields the last row, if it has no line end. */
  end(): Generator<CsvRow> {
    return this.#parse(this.#rest, true);
  }

  *#parse(bytes: Buffer, isLast: boolean): Generator<CsvRow> {
    if (!this.#options.allowInvalidUtf8) this.#checkEncoding(isLast ? bytes : wholeLines(bytes));
    let at = this.#isStart && startsWithByteOrderMark(bytes) ? BYTE_ORDER_MARK.length : 0;
    while (at < bytes.length) {
      const row = scanRow(bytes, at, isLast);
      if (row === undefined) break;
      if ("reason" in row) throw this.#errorAt(bytes, at, row.errorAt, row.reason);
      if (row.end > at || this.#options.keepBlankLines) yield new CsvRow(this.#line, bytes, at, row);
      this.#line += row.hasQuotes ? countLineFeeds(bytes, at, row.end) + 1 : 1;
      if (this.#isStart) this.#hasByteOrderMark = at > 0;
      this.#isStart = false;
      at = row.next;
    }
    // Copied, so that a short remainder does not keep the whole chunk in memory.
    this.#rest = Buffer.from(bytes.subarray(this.#isStart ? 0 : at));
    if (this.#rest.length > MAX_ROW_BYTES) {
      throw new CsvError(this.#line, undefined, `row is longer than ${MAX_ROW_BYTES} bytes (unclosed quote?)`);
    }
  }

  #errorAt(bytes: Buffer, rowStart: number, at: number, reason: string): CsvError {
    const lineStart = Math.max(rowStart, bytes.lastIndexOf(LINE_FEED, at) + 1);
    const column = bytes.toString("utf8", lineStart, at).length + 1;
    return new CsvError(this.#line + countLineFeeds(bytes, rowStart, at), column, reason);
  }

  #checkEncoding(bytes: Buffer): void {
    if (isUtf8(bytes)) return;
    let line = this.#line;
    for (let start = 0; ; line += 1) {
      const end = bytes.indexOf(LINE_FEED, start);
      const text = bytes.subarray(start, end === -1 ? bytes.length : end);
      if (!isUtf8(text)) throw new CsvError(line, text.toString("utf8").indexOf("\ufffd") + 1, "invalid UTF-8");
      start = end + 1;
    }
  }
}

function startsWithByteOrderMark(bytes: Buffer): boolean {
  return bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
}

/** A character may be split between two chunks, but never at the end of a line. */
function wholeLines(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.lastIndexOf(LINE_FEED) + 1);
}

function countLineFeeds(bytes: Buffer, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at += 1) if (bytes[at] === LINE_FEED) count += 1;
  return count;
}
