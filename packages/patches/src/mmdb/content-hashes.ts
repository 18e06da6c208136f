import { HashList } from "../hash-matches.ts";
import { PatchError } from "../patch-error.ts";
import type { OffsetSet } from "./offset-set.ts";
import { NO_TARGET, TokenScanner } from "./tokens.ts";

/** Real records have a few levels. */
const MAX_DEPTH = 64;
const FNV_PRIME = 0x01000193;
const SECOND_PRIME = 0x5bd1e995;

/**
 * Hashes of what values mean: a pointer has the hash of the value that it leads to. Writers differ in what they store once,
 * and which record contains it changes from day to day.
 */
export class ContentHashes {
  readonly #scanner: TokenScanner;
  readonly #targets: OffsetSet;
  readonly #first: Int32Array;
  readonly #second: Int32Array;
  #a = 0;
  #b = 0;

  constructor(data: Buffer, targets: OffsetSet) {
    this.#scanner = new TokenScanner(data);
    this.#targets = targets;
    this.#first = new Int32Array(targets.size);
    this.#second = new Int32Array(targets.size);
  }

  /** Hashes the values at these offsets. */
  ofValues(offsets: Uint32Array): HashList {
    const hashes = new HashList();
    for (const offset of offsets) {
      this.#scanner.startValue(offset);
      this.#hashItem(0);
      hashes.push(this.#a, this.#b);
    }
    return hashes;
  }

  /** Whether the targets at these offsets mean the same, in two files. */
  isSame(offset: number, other: ContentHashes, otherOffset: number): boolean {
    const number = this.#targets.numberOf(offset);
    const otherNumber = other.#targets.numberOf(otherOffset);
    if (number === -1 || otherNumber === -1) return false;
    const first = this.#first[number];
    return first !== 0 && first === other.#first[otherNumber] && this.#second[number] === other.#second[otherNumber];
  }

  #hashItem(depth: number): void {
    if (depth > MAX_DEPTH) throw new PatchError("unsupported", "a value of the mmdb is nested too deeply");
    const scanner = this.#scanner;
    scanner.next();
    const { start, target, children } = scanner;
    if (target !== NO_TARGET) {
      // A target that comes later has no hash yet. Such values are matched less well.
      const number = this.#targets.numberOf(target);
      this.#a = this.#first[number] as number;
      this.#b = this.#second[number] as number;
      return;
    }
    this.#hashBytes(start, scanner.end);
    let [a, b] = [this.#a, this.#b];
    for (let i = 0; i < children; i++) {
      this.#hashItem(depth + 1);
      a = Math.imul(a ^ this.#a ^ (a >>> 15), FNV_PRIME);
      b = Math.imul(b ^ this.#b, SECOND_PRIME) ^ (b >>> 13);
    }
    this.#a = a;
    this.#b = b;
    const number = this.#targets.numberOf(start);
    if (number === -1) return;
    this.#first[number] = a;
    this.#second[number] = b;
  }

  #hashBytes(from: number, to: number): void {
    const { bytes } = this.#scanner;
    let a = 0x811c9dc5;
    let b = 0x9e3779b9;
    for (let i = from; i < to; i++) {
      const byte = bytes[i] as number;
      a = Math.imul(a ^ byte, FNV_PRIME);
      b = Math.imul(b ^ byte, SECOND_PRIME) ^ (b >>> 15);
    }
    this.#a = a ^ (a >>> 16);
    this.#b = b ^ (b >>> 13);
  }
}
