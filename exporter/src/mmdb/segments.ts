import { Contest } from "./contest.ts";
import type { RangeList } from "./range-list.ts";
import { Uint32List, wordAt } from "./uint32-list.ts";
import { compareAt, compareSpans, copyAt, increment } from "./words.ts";

/** Holds where no range does. */
export const NO_VALUE = 0;

/**
 * A family's whole address space, cut where the value changes: `values[i]` holds from
 * the i-th start up to the next. The first start is address zero, and neighbours differ.
 */
export interface Segments {
  wordsPerAddress: number;
  starts: Uint32Array;
  values: Uint32Array;
}

export interface Resolved {
  segments: Segments;
  /** How many rows name exactly the network of another row. */
  repeated: number;
}

/**
 * Settles which range an address belongs to: the smallest one around it and, of equally
 * small ones, that of the later row. Ranges of the row `winner` beat all others.
 * One sweep from the lowest address to the highest.
 */
export function resolveOverlaps(ranges: RangeList, valueOfRow: (row: number) => number, winner?: number): Resolved {
  const { firsts, lasts, rows, wordsPerAddress: width } = ranges;
  const order = byFirstAddress(ranges);
  const open = new Contest((a, b) => {
    const rowA = wordAt(rows, a);
    const rowB = wordAt(rows, b);
    if ((rowA === winner) !== (rowB === winner)) return rowA === winner ? -1 : 1;
    return compareSpans(firsts, lasts, a, b, width) || rowB - rowA;
  });
  const segments = new SegmentList(width);
  const position = new Uint32Array(width);
  let next = 0;
  for (;;) {
    while (next < order.length && compareAt(firsts, wordAt(order, next), position, 0, width) <= 0) {
      open.enter(wordAt(order, next++));
    }
    while (open.leader !== undefined && compareAt(lasts, open.leader, position, 0, width) < 0) open.dropLeader();

    const leader = open.leader;
    segments.add(position, leader === undefined ? NO_VALUE : valueOfRow(wordAt(rows, leader)));
    const upcoming = order[next];
    if (upcoming !== undefined && (leader === undefined || compareAt(firsts, upcoming, lasts, leader, width) <= 0)) {
      copyAt(position, firsts, upcoming);
    } else if (leader !== undefined) {
      copyAt(position, lasts, leader);
      if (!increment(position)) break;
    } else {
      break;
    }
  }
  return { segments: segments.toSegments(), repeated: countRepeated(ranges, order) };
}

function byFirstAddress({ firsts, lasts, length, wordsPerAddress: width }: RangeList): Uint32Array {
  const order = Uint32Array.from({ length }, (_, i) => i);
  return order.sort((a, b) => compareAt(firsts, a, firsts, b, width) || compareAt(lasts, a, lasts, b, width));
}

function countRepeated({ firsts, lasts, wordsPerAddress: width }: RangeList, order: Uint32Array): number {
  let repeated = 0;
  for (let i = 1; i < order.length; i++) {
    const a = wordAt(order, i - 1);
    const b = wordAt(order, i);
    if (compareAt(firsts, a, firsts, b, width) === 0 && compareAt(lasts, a, lasts, b, width) === 0) repeated++;
  }
  return repeated;
}

class SegmentList {
  readonly #width: number;
  readonly #starts = new Uint32List();
  readonly #values = new Uint32List();
  #lastValue = -1;

  constructor(width: number) {
    this.#width = width;
  }

  add(start: Uint32Array, value: number): void {
    if (value === this.#lastValue) return;
    for (const word of start) this.#starts.push(word);
    this.#values.push(value);
    this.#lastValue = value;
  }

  toSegments(): Segments {
    return { wordsPerAddress: this.#width, starts: this.#starts.view(), values: this.#values.view() };
  }
}
