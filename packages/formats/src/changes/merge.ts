import { type ChangeSink, compareRows } from "./compare-rows.ts";
import { comparePositions, findOrder, type Position } from "./order.ts";
import type { Row } from "./rows.ts";

/** A key that more rows have than this does not identify them. */
export const MAX_ROWS_PER_KEY = 1000;

/** The tables are not sorted in the same order, so they have to be compared in another way. */
export class NotSorted extends Error {}
/** Too many rows have the same key. */
export class NotAKey extends Error {}

/** Compares two tables that are sorted by their key. Reads them side by side, in constant memory. */
export async function mergeTables(
  before: AsyncGenerator<Row[], void>,
  after: AsyncGenerator<Row[], void>,
  sink: ChangeSink,
): Promise<void> {
  const [first, second] = [(await before.next()).value ?? [], (await after.next()).value ?? []];
  const order = findOrder(keysOf(first), keysOf(second));
  if (!order) throw new NotSorted();
  const [old, next] = [new SortedRows(first, before, order), new SortedRows(second, after, order)];
  let [oldGroup, nextGroup] = [await old.group(), await next.group()];
  while (oldGroup || nextGroup) {
    const difference = !oldGroup ? 1 : !nextGroup ? -1 : comparePositions(oldGroup.position, nextGroup.position);
    compareRows(difference <= 0 ? (oldGroup?.rows ?? []) : [], difference >= 0 ? (nextGroup?.rows ?? []) : [], sink);
    // Awaiting only at the end of a batch, because a promise for each row is slow.
    if (difference <= 0) oldGroup = old.nextInBatch() ?? (await old.group());
    if (difference >= 0) nextGroup = next.nextInBatch() ?? (await next.group());
  }
}

function keysOf(rows: readonly Row[]): string[] {
  return rows.map(({ key }) => key);
}

interface Group {
  position: Position;
  /** All rows with this key. */
  rows: Row[];
}

/** Reads the rows of a sorted table key by key. */
class SortedRows {
  #batch: Row[];
  #at = 0;
  readonly #batches: AsyncGenerator<Row[], void>;
  readonly #order: (key: string) => Position | undefined;
  #last: Position | undefined;
  /** The position of the next row, because finding it takes most of the time. */
  #ahead: { at: number; position: Position } | undefined;

  constructor(first: Row[], batches: AsyncGenerator<Row[], void>, order: (key: string) => Position | undefined) {
    this.#batch = first;
    this.#batches = batches;
    this.#order = order;
  }

  /** The next group, if this batch contains it and the row after it. */
  nextInBatch(): Group | undefined {
    const [row, following] = [this.#batch[this.#at], this.#batch[this.#at + 1]];
    if (!row || !following || row.key === following.key) return undefined;
    const position = this.#ahead?.at === this.#at ? this.#ahead.position : this.#order(row.key);
    const next = this.#order(following.key);
    // `group` handles what is not ascending.
    if (position === undefined || next === undefined || comparePositions(position, next) >= 0) return undefined;
    this.#check(position);
    this.#at += 1;
    this.#ahead = { at: this.#at, position: next };
    return { position, rows: [row] };
  }

  /** Undefined at the end of the table. */
  async group(): Promise<Group | undefined> {
    const first = await this.#row();
    if (!first) return undefined;
    const position = this.#order(first.key);
    if (position === undefined) throw new NotSorted();
    this.#check(position);
    const rows = [first];
    this.#at += 1;
    for (let row = await this.#row(); row; row = await this.#row()) {
      const isSame = row.key === first.key || this.#order(row.key) === position;
      if (!isSame) break;
      if (rows.length === MAX_ROWS_PER_KEY) throw new NotAKey();
      rows.push(row);
      this.#at += 1;
    }
    return { position, rows };
  }

  async #row(): Promise<Row | undefined> {
    while (this.#at >= this.#batch.length) {
      const { value, done } = await this.#batches.next();
      if (done || !value) return undefined;
      this.#batch = value;
      this.#at = 0;
      this.#ahead = undefined;
    }
    return this.#batch[this.#at];
  }

  #check(position: Position): void {
    if (this.#last !== undefined && comparePositions(this.#last, position) >= 0) throw new NotSorted();
    this.#last = position;
  }
}
