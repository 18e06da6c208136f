/** A growing array of 32-bit words. A million rows as objects would take ten times the memory. */
export class Uint32List {
  #words = new Uint32Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(word: number): void {
    if (this.#length === this.#words.length) {
      const larger = new Uint32Array(this.#words.length * 2);
      larger.set(this.#words);
      this.#words = larger;
    }
    this.#words[this.#length++] = word;
  }

  at(index: number): number {
    return this.#words[index] as number;
  }

  /** A view of the words, valid until the next push. */
  view(): Uint32Array {
    return this.#words.subarray(0, this.#length);
  }
}

/** Reads a word whose index is known to be valid. */
export function wordAt(words: Uint32Array, index: number): number {
  return words[index] as number;
}
