import { IPV4_TREE, NO_VALUE, type Segments } from "./segments.ts";
import { wordAt } from "./uint32-list.ts";

/** Tells values that several segments have from those that only one has. */
export class RepeatedValues {
  readonly #seen: Uint32Array;
  readonly #repeated: Uint32Array;

  constructor(dataBytes: number, trees: readonly Segments[]) {
    // One bit per value. Values are offsets plus one.
    const words = Math.ceil((dataBytes + 1) / 32);
    this.#seen = new Uint32Array(words);
    this.#repeated = new Uint32Array(words);
    for (const { values } of trees) for (let i = 0; i < values.length; i++) this.#see(wordAt(values, i));
  }

  has(value: number): boolean {
    if (value === NO_VALUE || value === IPV4_TREE) return true;
    return (wordAt(this.#repeated, value >>> 5) & (1 << (value & 31))) !== 0;
  }

  #see(value: number): void {
    if (value === IPV4_TREE) return;
    const word = value >>> 5;
    const bit = 1 << (value & 31);
    if ((wordAt(this.#seen, word) & bit) === 0) this.#seen[word] = wordAt(this.#seen, word) | bit;
    else this.#repeated[word] = wordAt(this.#repeated, word) | bit;
  }
}
