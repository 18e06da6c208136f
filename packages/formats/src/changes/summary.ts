import { formatCsvRow } from "../csv/write.ts";
import type { ChangeSink } from "./compare-rows.ts";

const MAX_EXAMPLES = 20;
/** Rows may be long, and summaries are stored and sent as a whole. */
const MAX_CELL_CHARACTERS = 200;
const MAX_EXAMPLE_CHARACTERS = 64 * 1024;

type Cells = Record<string, string>;

/** The changes between two tables. */
export interface TableChanges {
  added: number;
  removed: number;
  changed: number;
  unchanged: number;
  /** How many keys several rows of a table have. Their rows are removed and added, never changed. */
  repeatedKeys: number;
  /**
   * The size of the rows that differ, as CSV after a column `op`: exact unless keys are repeated or spelled differently. Absent in
   * comparisons of earlier versions.
   */
  rowsBytes?: number;
  /** How many of the changed rows differ in each column. */
  columns: { name: string; changed: number }[];
  /** At most 20 of each kind. */
  examples: { added: Cells[]; removed: Cells[]; changed: { before: Cells; after: Cells }[] };
}

/** Counts changes and keeps the first examples of each kind. */
export class ChangeCounter implements ChangeSink {
  readonly #header: readonly string[];
  readonly #changedCells: number[];
  readonly #changes: TableChanges;
  #exampleCharacters = 0;
  #rowsBytes = 0;

  constructor(header: readonly string[]) {
    this.#header = header;
    this.#measure("op", header);
    this.#changedCells = header.map(() => 0);
    const examples = { added: [], removed: [], changed: [] };
    this.#changes = { added: 0, removed: 0, changed: 0, unchanged: 0, repeatedKeys: 0, columns: [], examples };
  }

  get result(): TableChanges {
    const columns = this.#header.map((name, i) => ({ name, changed: this.#changedCells[i] ?? 0 }));
    return { ...this.#changes, rowsBytes: this.#rowsBytes, columns };
  }

  added(cells: string[]): void {
    this.#changes.added += 1;
    this.#measure("added", cells);
    this.#keep(this.#changes.examples.added, () => this.#named(cells), cells);
  }

  removed(cells: string[]): void {
    this.#changes.removed += 1;
    this.#measure("removed", cells);
    this.#keep(this.#changes.examples.removed, () => this.#named(cells), cells);
  }

  changed(before: string[], after: string[]): void {
    this.#changes.changed += 1;
    this.#measure("changed", after);
    for (let i = 0; i < this.#header.length; i++) {
      if (before[i] !== after[i]) this.#changedCells[i] = (this.#changedCells[i] ?? 0) + 1;
    }
    const example = () => ({ before: this.#named(before), after: this.#named(after) });
    this.#keep(this.#changes.examples.changed, example, [...before, ...after]);
  }

  unchanged(count: number): void {
    this.#changes.unchanged += count;
  }

  repeated(): void {
    this.#changes.repeatedKeys += 1;
  }

  #measure(op: string, cells: readonly string[]): void {
    this.#rowsBytes += Buffer.byteLength(formatCsvRow([op, ...cells]));
  }

  #keep<T>(examples: T[], create: () => T, cells: readonly string[]): void {
    if (examples.length === MAX_EXAMPLES) return;
    const characters = cells.reduce((sum, { length }) => sum + Math.min(length, MAX_CELL_CHARACTERS), 0);
    if (this.#exampleCharacters + characters > MAX_EXAMPLE_CHARACTERS) return;
    this.#exampleCharacters += characters;
    examples.push(create());
  }

  #named(cells: readonly string[]): Cells {
    return Object.fromEntries(this.#header.map((name, i) => [name, shortened(cells[i] ?? "")]));
  }
}

function shortened(cell: string): string {
  return cell.length > MAX_CELL_CHARACTERS ? `${cell.slice(0, MAX_CELL_CHARACTERS)}…` : cell;
}
