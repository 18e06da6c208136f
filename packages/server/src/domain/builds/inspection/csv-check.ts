import { CsvError } from "@dbdepot/formats/csv/error";
import { CsvParser } from "@dbdepot/formats/csv/parser";
import type { CsvRow } from "@dbdepot/formats/csv/row";
import type { FileReport } from "./report.ts";

const MAX_FAULTS = 20;
const MAX_COLUMNS = 10_000;

/** Checks the rows of a CSV chunk by chunk and keeps nothing but the header. Stops at a syntax error or 20 faults. */
export class CsvCheck {
  readonly #parser = new CsvParser({ keepBlankLines: true, allowInvalidUtf8: true });
  readonly #faults: string[] = [];
  #header: string[] | undefined;
  #entries = 0;
  #isStopped = false;

  get isStopped(): boolean {
    return this.#isStopped;
  }

  write(chunk: Buffer): void {
    if (!this.#isStopped) this.#checkRows(this.#parser.push(chunk));
  }

  end(): FileReport {
    if (!this.#isStopped) this.#checkRows(this.#parser.end());
    if (this.#isStopped) return { faults: this.#faults, table: null };
    if (this.#header === undefined) this.#faults.push("the CSV is empty: it has no header");
    if (this.#parser.hasByteOrderMark) {
      this.#faults.push("starts with a byte order mark, which readers take for part of the first column's name");
    }
    return { faults: this.#faults, table: { header: this.#header ?? [], entries: this.#entries } };
  }

  #checkRows(rows: Iterable<CsvRow>): void {
    try {
      for (const row of rows) {
        this.#checkRow(row);
        if (this.#isStopped) return;
      }
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      this.#faults.push(error.message);
      this.#isStopped = true;
    }
  }

  #checkRow(row: CsvRow): void {
    if (this.#header === undefined) {
      this.#readHeader(row);
      return;
    }
    this.#entries += 1;
    if (row.cellCount === this.#header.length) return;
    this.#faults.push(`line ${row.line}: ${count(row.cellCount, "cell")}, but the header has ${this.#header.length}`);
    if (this.#faults.length < MAX_FAULTS) return;
    this.#faults.push(`stopped after ${MAX_FAULTS} faults`);
    this.#isStopped = true;
  }

  #readHeader(row: CsvRow): void {
    if (row.cellCount <= MAX_COLUMNS) {
      this.#header = row.cells();
    } else {
      this.#faults.push(`the header has ${row.cellCount} columns, at most ${MAX_COLUMNS} are allowed`);
      this.#isStopped = true;
    }
  }
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
