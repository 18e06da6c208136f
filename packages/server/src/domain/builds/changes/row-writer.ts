import type { ChangeSink } from "@dbdepot/formats/changes/compare-rows";
import { formatCsvRow } from "@dbdepot/formats/csv/write";

const CHUNK_CHARACTERS = 64 * 1024;

/**
 * Writes changes as CSV: the columns of the table after a column `op`. A row `removed` or `changed` stands for all old rows
 * with the same key, as it was spelled then; a row `changed` or `added` is a new one. So a table is brought up to date by
 * deleting all of the former and then inserting all of the latter.
 */
export class RowWriter {
  readonly #chunks: string[] = [];
  #last = "";

  /** `key` are the columns that identify a row. */
  start(header: readonly string[], key: readonly number[]): ChangeSink {
    const keyOf = (cells: readonly string[]) => formatCsvRow(key.map((column) => cells[column] ?? ""));
    const remove = (cells: readonly string[]) => this.#write("removed", cells);
    const add = (cells: readonly string[]) => this.#write("added", cells);
    this.#write("op", header);
    return {
      added: add,
      removed: remove,
      changed: (before, after) => {
        if (keyOf(before) === keyOf(after)) return this.#write("changed", after);
        remove(before);
        add(after);
      },
      replaced(before, after) {
        for (const cells of new Map(before.map((cells) => [keyOf(cells), cells])).values()) remove(cells);
        for (const cells of after) add(cells);
      },
      unchanged() {},
      repeated() {},
    };
  }

  /** Removes and returns the oldest part of what was written; undefined if there is none. */
  take(): Uint8Array | undefined {
    const text = this.#chunks.shift() ?? this.#last;
    if (text === this.#last) this.#last = "";
    return text === "" ? undefined : Buffer.from(text);
  }

  #write(op: string, cells: readonly string[]): void {
    this.#last += formatCsvRow([op, ...cells]);
    if (this.#last.length < CHUNK_CHARACTERS) return;
    this.#chunks.push(this.#last);
    this.#last = "";
  }
}
