import { Uint32List } from "./uint32-list.ts";

/** The value of addresses that have no record. Other values are the offset of a record in the data section, plus one. */
export const NO_VALUE = 0;
/** The value of ranges in the IPv6 tree that lead to the IPv4 tree. */
export const IPV4_TREE = 0xffffffff;

/**
 * The address space of IPv4 or IPv6, split where the value changes: `values[i]` applies from the i-th start up to the
 * next. The first start is address zero, and adjacent values differ.
 */
export interface Segments {
  wordsPerAddress: number;
  starts: Uint32Array;
  values: Uint32Array;
}

/** Collects segments in the order of their addresses. */
export class SegmentList {
  readonly wordsPerAddress: number;
  readonly #starts = new Uint32List();
  readonly #values = new Uint32List();
  #lastValue = -1;

  constructor(wordsPerAddress: number) {
    this.wordsPerAddress = wordsPerAddress;
  }

  get length(): number {
    return this.#values.length;
  }

  /** A segment with the value of the one before it only extends that one. */
  add(start: Uint32Array, value: number): void {
    if (value === this.#lastValue) return;
    for (let k = 0; k < this.wordsPerAddress; k++) this.#starts.push(start[k] as number);
    this.#values.push(value);
    this.#lastValue = value;
  }

  /** Valid until the next call of `add`. */
  toSegments(): Segments {
    return { wordsPerAddress: this.wordsPerAddress, starts: this.#starts.view(), values: this.#values.view() };
  }
}
