import { Uint32List, wordAt } from "@dbdepot/formats/mmdb/uint32-list";

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const SECOND_SEED = 0x9e3779b9;
const SECOND_PRIME = 0x5bd1e995;

/**
 * Two hashes of 32 bits per item: enough to match millions of items, because a wrong match only makes a patch that fails
 * its test.
 */
export class HashList {
  readonly #first = new Uint32List();
  readonly #second = new Uint32List();
  #a = FNV_OFFSET;
  #b = SECOND_SEED;

  get length(): number {
    return this.#first.length;
  }

  /** Adds bytes to the current item. */
  addBytes(bytes: Uint8Array, from: number, to: number): void {
    let a = this.#a;
    let b = this.#b;
    for (let i = from; i < to; i++) {
      const byte = bytes[i] as number;
      a = Math.imul(a ^ byte, FNV_PRIME);
      b = Math.imul(b ^ byte, SECOND_PRIME) ^ (b >>> 15);
    }
    this.#a = a;
    this.#b = b;
  }

  /** Adds an item whose hashes were computed elsewhere. */
  push(first: number, second: number): void {
    this.#first.push(first);
    this.#second.push(second);
  }

  /** Adds an item of another list to the current one, which therefore equals another only if those items do. */
  addItem(list: HashList, item: number): void {
    this.#a = Math.imul(this.#a ^ list.#first.at(item) ^ 0x55, FNV_PRIME);
    this.#b = Math.imul(this.#b ^ list.#second.at(item), SECOND_PRIME) ^ (this.#b >>> 15);
  }

  addNumber(number: number): void {
    this.#a = Math.imul(this.#a ^ number, FNV_PRIME);
    this.#b = Math.imul(this.#b ^ number, SECOND_PRIME) ^ (this.#b >>> 15);
  }

  endItem(): void {
    this.#first.push(this.#a ^ (this.#a >>> 16));
    this.#second.push(this.#b ^ (this.#b >>> 13));
    this.#a = FNV_OFFSET;
    this.#b = SECOND_SEED;
  }

  /** Whether an item equals one of another list. */
  equals(item: number, other: HashList, otherItem: number): boolean {
    return this.#first.at(item) === other.#first.at(otherItem) && this.#second.at(item) === other.#second.at(otherItem);
  }

  view(): Hashes {
    return { first: this.#first.view(), second: this.#second.view() };
  }
}

interface Hashes {
  first: Uint32Array;
  second: Uint32Array;
}

/**
 * Returns an equal item of the base for each item of the result, or -1. Equal items are matched in order, each at most
 * once.
 */
export function matchEqual(base: HashList, result: HashList): Int32Array {
  const old = base.view();
  const { first, second } = result.view();
  const table = new ItemTable(old, base.length);
  const matches = new Int32Array(result.length);
  for (let i = 0; i < matches.length; i++) matches[i] = table.take(wordAt(first, i), wordAt(second, i));
  return matches;
}

/** Returns the equal item of the base for each item of the result if there is exactly one in both, or else -1. */
export function matchUnique(base: HashList, result: HashList): Int32Array {
  const old = base.view();
  const { first, second } = result.view();
  const table = new ItemTable(old, base.length);
  /** The item of the result that equals each item of the base, plus one. */
  const taken = new Uint32Array(base.length);
  const matches = new Int32Array(result.length).fill(-1);
  for (let i = 0; i < matches.length; i++) {
    const match = table.findOnly(wordAt(first, i), wordAt(second, i));
    if (match === -1) continue;
    const other = wordAt(taken, match) - 1;
    if (other >= 0) matches[other] = -1;
    else matches[i] = match;
    taken[match] = (other >= 0 ? other : i) + 1;
  }
  return matches;
}

/** Returns the end of the items that are all new, or all equal to adjacent items of the base. */
export function endOfRun(matches: Int32Array, start: number): number {
  const first = matches[start] as number;
  let end = start + 1;
  while (end < matches.length && matches[end] === (first < 0 ? -1 : first + end - start)) end++;
  return end;
}

/** A hash table of lists: each slot has the first unused item, and each item the next equal one. */
class ItemTable {
  readonly #hashes: Hashes;
  /** Item plus one; zero is a free slot. */
  readonly #slots: Uint32Array;
  readonly #next: Uint32Array;

  constructor(hashes: Hashes, length: number) {
    this.#hashes = hashes;
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(length * 2 + 2)));
    this.#next = new Uint32Array(length);
    // The loop runs backwards, so that each list begins with its first item.
    for (let item = length - 1; item >= 0; item--) {
      const slot = this.#find(wordAt(hashes.first, item), wordAt(hashes.second, item));
      this.#next[item] = wordAt(this.#slots, slot);
      this.#slots[slot] = item + 1;
    }
  }

  /** Returns the first unused item with these hashes, or -1. */
  take(first: number, second: number): number {
    const slot = this.#find(first, second);
    const entry = wordAt(this.#slots, slot);
    if (entry === 0) return -1;
    const item = entry - 1;
    const next = wordAt(this.#next, item);
    if (next === entry) return -1;
    // The last item stays in its slot, because other searches pass it, but points to itself once it is used.
    if (next !== 0) this.#slots[slot] = next;
    else this.#next[item] = entry;
    return item;
  }

  /** Returns the item with these hashes if there is exactly one, or -1. */
  findOnly(first: number, second: number): number {
    const entry = wordAt(this.#slots, this.#find(first, second));
    return entry === 0 || wordAt(this.#next, entry - 1) !== 0 ? -1 : entry - 1;
  }

  /** The slot of the list with these hashes, or the free slot where it would be. */
  #find(first: number, second: number): number {
    const mask = this.#slots.length - 1;
    let slot = (first ^ Math.imul(second, 0x85ebca6b)) & mask;
    for (;;) {
      const entry = wordAt(this.#slots, slot);
      if (entry === 0) return slot;
      if (this.#hashes.first[entry - 1] === first && this.#hashes.second[entry - 1] === second) return slot;
      slot = (slot + 1) & mask;
    }
  }
}
