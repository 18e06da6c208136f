import { wordAt } from "@dbdepot/formats/mmdb/uint32-list";

const WORDS_PER_BLOCK = 8;

/** A set of offsets in a section, with one bit for each byte. Once it is complete, its members have numbers. */
export class OffsetSet {
  readonly #words: Uint32Array;
  /** How many members come before each block of words. */
  readonly #counts: Uint32Array;
  #size = 0;

  constructor(lengthBytes: number) {
    const blocks = Math.ceil((lengthBytes + 1) / (32 * WORDS_PER_BLOCK));
    this.#words = new Uint32Array(blocks * WORDS_PER_BLOCK);
    this.#counts = new Uint32Array(blocks);
  }

  get size(): number {
    return this.#size;
  }

  add(offset: number): void {
    this.#words[offset >>> 5] = wordAt(this.#words, offset >>> 5) | (1 << (offset & 31));
  }

  /** Numbers the members. None can be added afterwards. */
  complete(): void {
    for (let word = 0; word < this.#words.length; word++) {
      if (word % WORDS_PER_BLOCK === 0) this.#counts[word / WORDS_PER_BLOCK] = this.#size;
      this.#size += countBits(wordAt(this.#words, word));
    }
  }

  /** The number of an offset, or -1 if it is no member. */
  numberOf(offset: number): number {
    const word = offset >>> 5;
    const bit = 1 << (offset & 31);
    const bits = this.#words[word] ?? 0;
    if ((bits & bit) === 0) return -1;
    const block = Math.floor(word / WORDS_PER_BLOCK);
    let number = wordAt(this.#counts, block);
    for (let each = block * WORDS_PER_BLOCK; each < word; each++) number += countBits(wordAt(this.#words, each));
    return number + countBits(bits & (bit - 1));
  }
}

function countBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  bits = (bits + (bits >>> 4)) & 0x0f0f0f0f;
  return Math.imul(bits, 0x01010101) >>> 24;
}
