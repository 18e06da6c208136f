import { formatCsvRow } from "@dbdepot/formats/csv/write";
import { ExportFault, FaultList } from "./export-fault.ts";
import { readCsvFile } from "./input/csv-file.ts";
import { readObjectRows } from "./input/object-rows.ts";
import type { InputRow } from "./input/row.ts";
import type { ExportOptions } from "./options.ts";
import { RowAnalyzer } from "./row-analyzer.ts";
import { planTable } from "./table.ts";

/** Reads the input once, checks every row and passes it on, with only a few rows in memory. */
export class InputReader {
  readonly #options: ExportOptions;
  readonly #base: string;
  readonly #faults = new FaultList();
  #rows: RowAnalyzer | undefined;
  #bytesRead = 0;

  constructor(base: string, options: ExportOptions) {
    this.#base = base;
    this.#options = options;
  }

  get bytesRead(): number {
    return this.#bytesRead;
  }

  /** Complete after `csvText` was read to its end. */
  get rows(): RowAnalyzer {
    if (this.#rows === undefined) throw new Error("nothing has been read yet");
    return this.#rows;
  }

  /** The rows as CSV text. Ends with an ExportFault if any row has a fault. */
  async *csvText(): AsyncGenerator<string> {
    const { signal, onProgress } = this.#options;
    try {
      for await (const batch of this.#source()) {
        signal?.throwIfAborted();
        const text = this.#toCsv(batch);
        onProgress?.(this.#bytesRead, this.#rows?.entries ?? 0, "reading");
        if (text !== "") yield text;
      }
    } catch (error) {
      if (!(error instanceof ExportFault)) throw error;
      this.#faults.throwIfAny(error.faults);
    }
    if (this.#rows === undefined) this.#faults.add("the input is empty: it has no header");
    this.#faults.throwIfAny();
  }

  #source(): AsyncGenerator<Iterable<InputRow>> {
    const { input } = this.#options;
    if (typeof input !== "string") return readObjectRows(input);
    return readCsvFile(input, (bytesRead) => {
      this.#bytesRead = bytesRead;
    });
  }

  #toCsv(batch: Iterable<InputRow>): string {
    const unit = typeof this.#options.input === "string" ? "line" : "row";
    let text = "";
    for (const row of batch) {
      if (this.#rows === undefined) this.#rows = this.#start(row.cells);
      else this.#rows.add(row, () => `${unit} ${row.line}`);
      text += formatCsvRow(row.cells);
    }
    return text;
  }

  #start(header: string[]): RowAnalyzer {
    const { formats, columns = [] } = this.#options;
    return new RowAnalyzer(planTable(header, { base: this.#base, formats, specs: columns }), this.#faults);
  }
}
