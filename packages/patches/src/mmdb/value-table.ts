import { Uint32List, wordAt } from "@dbdepot/formats/mmdb/uint32-list";
import { HashList } from "../hash-matches.ts";
import { PatchError } from "../patch-error.ts";
import { ValueScanner, type ValueVisitor } from "./scan-value.ts";

const IGNORE: ValueVisitor = { bytes: () => undefined, pointer: () => undefined };

/** The values of a data section in order. Numbers them, and finds the number of the one at an offset. */
export class ValueTable {
  readonly data: Buffer;
  readonly #offsets: Uint32Array;
  /** One bit per offset at which a value begins. */
  readonly #starts: Uint32Array;
  /** How many values begin before each word of `#starts`. */
  readonly #counts: Uint32Array;

  /** Throws a PatchError if the section does not consist of complete values. */
  constructor(data: Buffer) {
    this.data = data;
    this.#offsets = findValues(data);
    const words = Math.ceil(data.length / 32);
    this.#starts = new Uint32Array(words);
    this.#counts = new Uint32Array(words);
    for (const offset of this.#offsets) {
      this.#starts[offset >>> 5] = wordAt(this.#starts, offset >>> 5) | (1 << (offset & 31));
    }
    for (let word = 1; word < words; word++) {
      this.#counts[word] = wordAt(this.#counts, word - 1) + countBits(wordAt(this.#starts, word - 1));
    }
  }

  get length(): number {
    return this.#offsets.length;
  }

  start(value: number): number {
    return wordAt(this.#offsets, value);
  }

  end(value: number): number {
    return this.#offsets[value + 1] ?? this.data.length;
  }

  /** The number of the value that begins at an offset. Other writers point into the middle of values. */
  numberAt(offset: number): number {
    const word = offset >>> 5;
    const bit = 1 << (offset & 31);
    const starts = this.#starts[word] ?? 0;
    if ((starts & bit) === 0) throw new PatchError("unsupported", "the mmdb points into the middle of a value");
    return wordAt(this.#counts, word) + countBits(starts & (bit - 1));
  }

  /** Values are equal if their bytes are, apart from pointers, and the values that these point to are equal. */
  hashes(): HashList {
    const hashes = new HashList();
    const scanner = new ValueScanner(this.data, {
      bytes: (from, to) => hashes.addBytes(this.data, from, to),
      pointer: (target) => {
        const number = this.numberAt(target as number);
        if (number >= hashes.length) throw new PatchError("unsupported", "the mmdb has a pointer to a later value");
        hashes.addItem(number);
      },
    });
    for (let value = 0; value < this.length; value++) {
      scanner.scan(this.start(value));
      hashes.endItem();
    }
    return hashes;
  }
}

function findValues(data: Buffer): Uint32Array {
  const offsets = new Uint32List();
  const scanner = new ValueScanner(data, IGNORE);
  try {
    for (let at = 0; at < data.length; ) {
      offsets.push(at);
      at = scanner.scan(at);
    }
  } catch (error) {
    throw new PatchError("unsupported", `the mmdb's data cannot be read: ${(error as Error).message}`);
  }
  return offsets.view();
}

function countBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  bits = (bits + (bits >>> 4)) & 0x0f0f0f0f;
  return Math.imul(bits, 0x01010101) >>> 24;
}
