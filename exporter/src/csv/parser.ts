import { isUtf8 } from "node:buffer";
import { ExportFault } from "../export-fault.ts";

/** A row as it stands in its source: `line` is where it begins, counted from 1. */
export interface SourceRow {
  line: number;
  cells: string[];
}

/** A quote that nobody closes would swallow the rest of the file. */
const MAX_ROW_BYTES = 1 << 20;
const LINE_FEED = 10;

/** RFC 4180 piece by piece. Blank lines are skipped; rows end with LF or CRLF. */
export class CsvParser {
  #bytes: Buffer = Buffer.alloc(0);
  /** The beginning of a row whose quoted cell goes on beyond the lines so far. */
  #open = "";
  /** The line on which `#open`, or else the next row, begins. */
  #line = 1;
  #isFirst = true;

  push(chunk: Buffer): SourceRow[] {
    const bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    const end = bytes.lastIndexOf(LINE_FEED) + 1;
    // Copied, so that a short remainder does not hold on to the whole chunk.
    this.#bytes = Buffer.from(bytes.subarray(end));
    const rows = end === 0 ? [] : this.#parse(this.#decode(bytes.subarray(0, end)));
    if (this.#bytes.length + this.#open.length > MAX_ROW_BYTES) {
      throw fault(this.#line, `a row of more than ${MAX_ROW_BYTES} bytes; is there a quote that is not closed?`);
    }
    return rows;
  }

  end(): SourceRow[] {
    const rows = this.#parse(this.#decode(this.#bytes));
    if (this.#open !== "") throw fault(this.#line, "a quote is opened and never closed");
    return rows;
  }

  /** Whole lines only, so no character is cut in two. */
  #decode(lines: Buffer): string {
    if (!isUtf8(lines)) throw fault(this.#line + lineOfBadText(lines) + newlines(this.#open), "not valid UTF-8");
    const text = lines.toString("utf8");
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    return isFirst && text.startsWith("\ufeff") ? text.slice(1) : text;
  }

  #parse(lines: string): SourceRow[] {
    const text = this.#open + lines;
    const rows: SourceRow[] = [];
    let at = 0;
    let nextQuote = text.indexOf('"');
    while (at < text.length) {
      const lineEnd = endOfLine(text, at);
      if (nextQuote === -1 || nextQuote > lineEnd) {
        this.#addPlainRow(rows, text.slice(at, lineEnd));
        at = lineEnd + 1;
        continue;
      }
      const row = parseQuotedRow(text, at, this.#line);
      if (row === undefined) break;
      rows.push({ line: this.#line, cells: row.cells });
      this.#line += newlines(text.slice(at, row.next));
      at = row.next;
      nextQuote = text.indexOf('"', at);
    }
    this.#open = text.slice(at);
    return rows;
  }

  #addPlainRow(rows: SourceRow[], lineText: string): void {
    const line = this.#line++;
    const content = lineText.endsWith("\r") ? lineText.slice(0, -1) : lineText;
    if (content === "") return;
    if (content.includes("\r")) throw fault(line, LONE_RETURN);
    rows.push({ line, cells: content.split(",") });
  }
}

const LONE_RETURN = "a carriage return without a line feed";

/** Undefined when the text ends before the row does. */
function parseQuotedRow(text: string, start: number, line: number): { cells: string[]; next: number } | undefined {
  const cells: string[] = [];
  let at = start;
  for (;;) {
    let end: number;
    if (text[at] === '"') {
      end = closingQuote(text, at + 1) + 1;
      if (end === 0) return undefined;
      cells.push(text.slice(at + 1, end - 1).replaceAll('""', '"'));
    } else {
      end = endOfPlainCell(text, at);
      cells.push(text.slice(at, end));
    }
    if (end >= text.length || text[end] === "\n") return { cells, next: end + 1 };
    if (text[end] === "\r" && (end + 1 === text.length || text[end + 1] === "\n")) return { cells, next: end + 2 };
    if (text[end] !== ",") throw fault(line + newlines(text.slice(start, end)), strayCharacter(text, end));
    at = end + 1;
  }
}

function strayCharacter(text: string, at: number): string {
  if (text[at] === '"') return "a quote in the middle of a cell that does not begin with one";
  return text[at] === "\r" ? LONE_RETURN : "text after the quote that closes a cell";
}

/** -1 when it is not there. A doubled quote closes nothing. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

function endOfPlainCell(text: string, from: number): number {
  let at = from;
  while (at < text.length && !',"\r\n'.includes(text[at] as string)) at++;
  return at;
}

function endOfLine(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  return at === -1 ? text.length : at;
}

function newlines(text: string): number {
  return text.split("\n").length - 1;
}

function lineOfBadText(lines: Buffer): number {
  let line = 0;
  let start = 0;
  for (;;) {
    const end = lines.indexOf(LINE_FEED, start);
    if (end === -1 || !isUtf8(lines.subarray(start, end))) return line;
    line++;
    start = end + 1;
  }
}

function fault(line: number, what: string): ExportFault {
  return new ExportFault([`line ${line}: ${what}`]);
}
