import { type ChangeSink, compareRows } from "./compare-rows.ts";
import { MAX_ROWS_PER_KEY, NotAKey } from "./merge.ts";
import { networkPosition, type Position } from "./order.ts";
import type { Row } from "./rows.ts";

/** One part of the keys at a time is in memory. */
export interface Part {
  index: number;
  count: number;
  /** The limit for the text of one table's rows. */
  maxCharacters: number;
}

/** The part of the table does not fit into memory. */
export class TooLarge extends Error {}

/** Compares the rows of two tables in any order whose keys belong to one part. The first table's rows are kept in memory. */
export async function compareParts(
  before: AsyncGenerator<Row[], void>,
  after: AsyncGenerator<Row[], void>,
  part: Part,
  sink: ChangeSink,
): Promise<void> {
  const old = new RowsByKey(part.maxCharacters);
  for await (const batch of before) for (const row of batch) if (isIn(part, row)) old.add(row);
  /** Rows that both tables have. Only those whose key other rows have too are needed again. */
  const equal = new RowsByKey(Number.POSITIVE_INFINITY);
  const next = new RowsByKey(part.maxCharacters);
  for await (const batch of after) {
    for (const row of batch) {
      if (!isIn(part, row)) continue;
      if (old.takeEqual(row)) equal.add(row);
      else next.add(row);
    }
  }
  for (const key of new Set([...equal.keys(), ...old.keys(), ...next.keys()])) {
    const both = equal.get(key);
    compareRows([...both, ...old.get(key)], [...both, ...next.get(key)], sink);
  }
}

class RowsByKey {
  readonly #rows = new Map<Position, Row | Row[]>();
  readonly #maxCharacters: number;
  #characters = 0;

  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters;
  }

  add(row: Row): void {
    this.#characters += row.text.length;
    if (this.#characters > this.#maxCharacters) throw new TooLarge();
    const key = identityOf(row);
    const found = this.#rows.get(key);
    if (found === undefined) this.#rows.set(key, row);
    else if (!Array.isArray(found)) this.#rows.set(key, [found, row]);
    else if (found.length === MAX_ROWS_PER_KEY) throw new NotAKey();
    else found.push(row);
  }

  get(key: Position): Row[] {
    const found = this.#rows.get(key);
    return found === undefined ? [] : Array.isArray(found) ? found : [found];
  }

  keys(): Iterable<Position> {
    return this.#rows.keys();
  }

  /** Removes one row with this text, if there is any. */
  takeEqual(row: Row): boolean {
    const key = identityOf(row);
    const rows = this.get(key);
    const index = rows.findIndex(({ text }) => text === row.text);
    if (index === -1) return false;
    if (rows.length === 1) this.#rows.delete(key);
    else rows.splice(index, 1);
    return true;
  }
}

/** Networks are the same however they are written. */
function identityOf({ key }: Row): Position {
  return networkPosition(key) ?? key;
}

function isIn({ index, count }: Part, row: Row): boolean {
  return count === 1 || hashOf(String(identityOf(row))) % count === index;
}

/** FNV-1a, which distributes short texts evenly. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  // The lowest bits of similar keys are similar.
  return (hash ^ (hash >>> 15)) >>> 0;
}
