import { formatCsvRow } from "@dbdepot/formats/csv/write";
import { rangeOfRow } from "./columns/network-key.ts";
import { readCsvFile } from "./input/csv-file.ts";
import { Networks } from "./mmdb/networks.ts";
import type { RowAnalyzer } from "./row-analyzer.ts";

/** Picks rows of the csv.gz that was just written, evenly spread over all of it, with only a few rows in memory. */
export class SampleReader {
  /** The number of rows in the sample. */
  readonly entries: number;
  readonly #csvPath: string;
  readonly #full: RowAnalyzer;
  readonly #onRows: (rows: number) => void;
  readonly #networks: Networks;

  constructor(csvPath: string, full: RowAnalyzer, maxRows: number, onRows: (rows: number) => void) {
    this.entries = Math.min(maxRows, full.entries);
    this.#csvPath = csvPath;
    this.#full = full;
    this.#onRows = onRows;
    // Readers refuse to look up IPv6 addresses in an IPv4 file, so a sample has the IP version of the full file.
    this.#networks = new Networks(full.networks.ipVersion);
  }

  /** Complete after `csvText` was read to its end. */
  get networks(): Networks {
    return this.#networks;
  }

  /** The header and the rows of the sample. */
  async *csvText(): AsyncGenerator<string> {
    let row = -1;
    let picked = 0;
    for await (const batch of readCsvFile(this.#csvPath)) {
      let text = "";
      for (const { cells } of batch) {
        const isHeader = row === -1;
        const isPicked = !isHeader && this.#isPicked(row);
        if (isPicked) this.#addNetwork(cells, picked++);
        if (isHeader || isPicked) text += formatCsvRow(cells);
        row++;
      }
      this.#onRows(row);
      if (text !== "") yield text;
    }
  }

  /** Divides the rows into `entries` sections, as equal as possible, and picks the last row of each. */
  #isPicked(row: number): boolean {
    const sectionOf = (index: number) => Math.floor((index * this.entries) / this.#full.entries);
    return sectionOf(row + 1) > sectionOf(row);
  }

  #addNetwork(cells: readonly string[], row: number): void {
    const { key } = this.#full.table;
    const range = key && rangeOfRow(key, cells);
    if (range && !("fault" in range)) this.#networks.add(range, row);
  }
}
