import { formatCsvRow } from "@dbdepot/csv/write";
import { ExportFault, FaultList } from "./export-fault.ts";
import { readCsvFile } from "./input/csv-file.ts";
import { readObjectRows } from "./input/object-rows.ts";
import type { InputRow } from "./input/row.ts";
import type { ExportOptions } from "./options.ts";
import { Survey } from "./survey.ts";
import { planTable } from "./table.ts";

/** Reads the input once, checks every row and passes it on: however long it is, only a few rows are in memory. */
export class FirstReading {
  readonly #options: ExportOptions;
  readonly #base: string;
  readonly #faults = new FaultList();
  #survey: Survey | undefined;
  #bytesRead = 0;

  constructor(base: string, options: ExportOptions) {
    this.#base = base;
    this.#options = options;
  }

  get bytesRead(): number {
    return this.#bytesRead;
  }

  /** What was learned, once the text is read to its end. */
  get survey(): Survey {
    if (this.#survey === undefined) throw new Error("nothing has been read yet");
    return this.#survey;
  }

  /** The rows as CSV text. Ends with an ExportFault if any row has a fault. */
  async *csvText(): AsyncGenerator<string> {
    const { signal, onProgress } = this.#options;
    try {
      for await (const batch of this.#source()) {
        signal?.throwIfAborted();
        const text = this.#take(batch);
        onProgress?.(this.#bytesRead, this.#survey?.entries ?? 0, "reading");
        if (text !== "") yield text;
      }
    } catch (error) {
      if (!(error instanceof ExportFault)) throw error;
      this.#faults.throwIfAny(error.faults);
    }
    if (this.#survey === undefined) this.#faults.add("there is no header: the input is empty");
    this.#faults.throwIfAny();
  }

  #source(): AsyncGenerator<Iterable<InputRow>> {
    const { input } = this.#options;
    if (typeof input !== "string") return readObjectRows(input);
    return readCsvFile(input, (bytesRead) => {
      this.#bytesRead = bytesRead;
    });
  }

  #take(batch: Iterable<InputRow>): string {
    const unit = typeof this.#options.input === "string" ? "line" : "row";
    let text = "";
    for (const row of batch) {
      if (this.#survey === undefined) this.#survey = this.#start(row.cells);
      else this.#survey.take(row, () => `${unit} ${row.line}`);
      text += formatCsvRow(row.cells);
    }
    return text;
  }

  #start(header: string[]): Survey {
    const { formats, columns = [] } = this.#options;
    return new Survey(planTable(header, { base: this.#base, formats, specs: columns }), this.#faults);
  }
}
