import { Uint32List } from "@dbdepot/formats/mmdb/uint32-list";
import type { Range } from "./network.ts";

/** Ranges of one family and the row that each belongs to. */
export class RangeList {
  readonly wordsPerAddress: number;
  readonly #firsts = new Uint32List();
  readonly #lasts = new Uint32List();
  readonly #rows = new Uint32List();

  constructor(wordsPerAddress: number) {
    this.wordsPerAddress = wordsPerAddress;
  }

  get length(): number {
    return this.#rows.length;
  }

  add(range: Range, row: number): void {
    for (const word of range.first) this.#firsts.push(word);
    for (const word of range.last) this.#lasts.push(word);
    this.#rows.push(row);
  }

  /** First addresses, `wordsPerAddress` words each. */
  get firsts(): Uint32Array {
    return this.#firsts.view();
  }

  get lasts(): Uint32Array {
    return this.#lasts.view();
  }

  get rows(): Uint32Array {
    return this.#rows.view();
  }
}
