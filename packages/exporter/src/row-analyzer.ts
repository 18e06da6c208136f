import { type ColumnType, parseCell } from "./columns/column-type.ts";
import { TypeGuess } from "./columns/infer.ts";
import { rangeOfRow } from "./columns/network-key.ts";
import type { FaultList } from "./export-fault.ts";
import type { InputRow } from "./input/row.ts";
import { Networks } from "./mmdb/networks.ts";
import type { Table, TableColumn } from "./table.ts";

const SAMPLE_ROWS = 5;

/** Checks rows one by one and collects what the output needs: column types, networks and a sample. */
export class RowAnalyzer {
  readonly table: Table;
  readonly networks = new Networks();
  readonly sample: string[][] = [];
  readonly #guesses: TypeGuess[];
  readonly #faults: FaultList;
  #entries = 0;

  constructor(table: Table, faults: FaultList) {
    this.table = table;
    this.#faults = faults;
    this.#guesses = table.columns.map(() => new TypeGuess());
  }

  get entries(): number {
    return this.#entries;
  }

  /** `where` names the row in faults. */
  add({ cells }: InputRow, where: () => string): void {
    const { columns } = this.table;
    if (cells.length !== columns.length) {
      this.#faults.add(`${where()}: the header has ${columns.length} columns, but this row has ${cells.length}`);
      return;
    }
    this.#addNetwork(cells, where);
    for (let i = 0; i < cells.length; i++) this.#addCell(columns[i] as TableColumn, i, cells[i] as string, where);
    if (this.sample.length < SAMPLE_ROWS) this.sample.push(cells);
    this.#entries++;
  }

  /** The type of each column, after all rows were added. */
  types(): ColumnType[] {
    return this.table.columns.map((column, i) => column.givenType ?? (this.#guesses[i] as TypeGuess).type());
  }

  #addCell({ name, givenType, isKey }: TableColumn, index: number, cell: string, where: () => string): void {
    if (givenType === undefined) {
      this.#guesses[index]?.add(cell);
    } else if (!isKey && cell !== "" && parseCell(givenType, cell) === undefined) {
      this.#faults.add(`${where()}: column ${JSON.stringify(name)}: ${JSON.stringify(cell)} is not a ${givenType}`);
    }
  }

  #addNetwork(cells: readonly string[], where: () => string): void {
    if (this.table.key === undefined) return;
    const range = rangeOfRow(this.table.key, cells);
    const fault = "fault" in range ? range.fault : this.networks.add(range, this.#entries);
    if (fault !== undefined) this.#faults.add(`${where()}: ${fault}`);
  }
}
