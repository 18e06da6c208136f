import { parseHeader } from "./csv-header.ts";
import { FaultTally } from "./fault-tally.ts";
import type { FileFindings } from "./findings.ts";

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const QUOTE = 34;
const COMMA = 44;
/** A file that is no CSV may have no line break at all: this much of it is kept, not more. */
const HEADER_MAX_BYTES = 1 << 20;
const BYTE_ORDER_MARK = "\ufeff";

type State = "plain" | "quoted" | "after quote";

/**
 * Counts the rows and cells of a CSV (RFC 4180) as it goes by and keeps nothing of it but
 * the header. Every byte of every build comes through `#plain`: it looks at one number
 * for most bytes, since all that has a meaning lies at or below the comma.
 */
export class CsvShape {
  readonly #faults = new FaultTally();
  #state: State = "plain";
  /** Where the current cell began, counted in the current chunk; negative when it was in an earlier one. */
  #cellStart = 0;
  #cells = 1;
  #isRowBegun = false;
  #line = 1;
  #quoteLine = 0;
  #isReturnPending = false;
  #rows = 0;
  #headerParts: Buffer[] | undefined = [];
  #headerBytes = 0;
  #header: string[] = [];
  #columns = 0;

  take(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#state === "plain") at = this.#plain(bytes, at);
      else if (this.#state === "quoted") at = this.#quoted(bytes, at);
      else at = this.#afterQuote(bytes, at);
    }
    this.#cellStart -= bytes.length;
    this.#keepHeader(bytes);
  }

  end(): FileFindings {
    if (this.#state === "quoted") this.#faults.add(`line ${this.#quoteLine}: a quote is opened and never closed`);
    if (this.#isReturnPending) this.#loneReturn();
    // The last row may do without a line feed.
    if (this.#isRowBegun) this.#endRow(this.#cells);
    if (this.#rows === 0) this.#faults.add("the CSV is empty: it has not even a header");
    const entries = Math.max(0, this.#rows - 1);
    return { faults: this.#faults.list(), table: { header: this.#header, entries } };
  }

  /** Up to the next quote that opens a cell, or the end of the bytes. Local names: fields cost a third of the speed. */
  #plain(bytes: Buffer, from: number): number {
    const { length } = bytes;
    let at = from;
    let cells = this.#cells;
    let cellStart = this.#cellStart;
    if (this.#isReturnPending && bytes[at] !== LINE_FEED) this.#loneReturn();
    this.#isReturnPending = false;
    while (at < length) {
      let byte = bytes[at++] as number;
      while (byte > COMMA && at < length) byte = bytes[at++] as number;
      if (byte === COMMA) {
        cells += 1;
        cellStart = at;
      } else if (byte === LINE_FEED) {
        this.#endLine(bytes, at, cells);
        cells = 1;
        cellStart = at;
      } else if (byte === QUOTE) {
        if (this.#opensCell(at - 1 === cellStart)) break;
      } else if (byte === CARRIAGE_RETURN) {
        this.#isReturnPending = at === length;
        if (at < length && bytes[at] !== LINE_FEED) this.#loneReturn();
      }
    }
    this.#cells = cells;
    this.#cellStart = cellStart;
    // Bytes behind the last line feed belong to a row that has begun.
    this.#isRowBegun = at > cellStart || cells > 1;
    return at;
  }

  /** Whether a quote opens a cell: it does so only as the first of it. */
  #opensCell(isFirstOfCell: boolean): boolean {
    if (isFirstOfCell) {
      this.#state = "quoted";
      this.#quoteLine = this.#line;
    } else {
      this.#faults.add(`line ${this.#line}: a quote in the middle of a cell that does not begin with one`);
    }
    return isFirstOfCell;
  }

  /** Up to behind the next quote. */
  #quoted(bytes: Buffer, from: number): number {
    let at = from;
    while (at < bytes.length) {
      const byte = bytes[at] as number;
      at += 1;
      if (byte === LINE_FEED) this.#line += 1;
      if (byte !== QUOTE) continue;
      this.#state = "after quote";
      break;
    }
    return at;
  }

  /** A second quote stands for one in the text; else the cell must end here. */
  #afterQuote(bytes: Buffer, at: number): number {
    const byte = bytes[at];
    if (byte === QUOTE) {
      this.#state = "quoted";
      return at + 1;
    }
    this.#state = "plain";
    if (byte !== COMMA && byte !== LINE_FEED && byte !== CARRIAGE_RETURN) {
      this.#faults.add(`line ${this.#line}: text after the quote that closes a cell`);
    }
    return at;
  }

  #loneReturn(): void {
    this.#isReturnPending = false;
    this.#faults.add(`line ${this.#line}: a carriage return without a line feed`);
  }

  #endLine(bytes: Buffer, end: number, cells: number): void {
    if (this.#rows === 0) this.#keepHeader(bytes.subarray(0, end));
    this.#endRow(cells);
    this.#line += 1;
  }

  #endRow(cells: number): void {
    if (this.#rows === 0) {
      this.#columns = cells;
      this.#readHeader();
    } else if (cells !== this.#columns) {
      const words = cells === 1 ? "1 cell" : `${cells} cells`;
      this.#faults.add(`line ${this.#line}: ${words}, but the header has ${this.#columns}`);
    }
    this.#rows += 1;
  }

  #keepHeader(bytes: Buffer): void {
    if (!this.#headerParts || this.#headerBytes > HEADER_MAX_BYTES) return;
    this.#headerParts.push(Buffer.from(bytes));
    this.#headerBytes += bytes.length;
  }

  #readHeader(): void {
    const text = Buffer.concat(this.#headerParts ?? []).toString("utf8");
    this.#headerParts = undefined;
    if (this.#headerBytes > HEADER_MAX_BYTES) {
      this.#faults.add(`the header is longer than ${HEADER_MAX_BYTES} bytes: is this a CSV?`);
      return;
    }
    if (text.startsWith(BYTE_ORDER_MARK)) {
      this.#faults.add("it begins with a byte order mark, which readers take for a part of the first column's name");
    }
    this.#header = parseHeader(text);
  }
}
