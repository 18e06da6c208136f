import type { ChangeSink } from "@dbdepot/formats/changes/compare-rows";
import { formatCsvRow } from "@dbdepot/formats/csv/write";

/** Writes changes as CSV: the columns of the table after a column `op`. A changed row has its new cells. */
export class RowWriter {
  #lines: string[] = [];

  start(header: readonly string[]): ChangeSink {
    this.#lines = [formatCsvRow(["op", ...header])];
    const write = (op: string, cells: readonly string[]) => this.#lines.push(formatCsvRow([op, ...cells]));
    return {
      added: (cells) => write("added", cells),
      removed: (cells) => write("removed", cells),
      changed: (_, after) => write("changed", after),
      unchanged() {},
      repeated() {},
    };
  }

  /** Returns what was written since the last call. */
  take(): Uint8Array {
    const text = Buffer.from(this.#lines.join(""));
    this.#lines = [];
    return text;
  }
}
