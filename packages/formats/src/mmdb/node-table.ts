import { wordAt } from "./uint32-list.ts";

const CHUNK_BITS = 13;
const CHUNK_MASK = 2 ** CHUNK_BITS - 1;

/** The nodes of a tree in the order of their creation. Finds nodes with the same two records. */
export class NodeTable {
  readonly #firstRecord: number;
  readonly #maxNodes: number;
  /** Growing by chunks takes half the memory of one array that doubles. */
  readonly #chunks: Uint32Array[] = [];
  #length = 0;
  /** A hash table of node numbers plus one; zero is a free slot. */
  #slots = new Uint32Array(1 << 12);
  #shareable = 0;

  /** The record of the n-th node is `firstRecord + n`. */
  constructor(firstRecord: number, maxNodes: number) {
    this.#firstRecord = firstRecord;
    this.#maxNodes = maxNodes;
  }

  get length(): number {
    return this.#length;
  }

  left(node: number): number {
    return wordAt(this.#chunks[node >>> CHUNK_BITS] as Uint32Array, (node & CHUNK_MASK) * 2);
  }

  right(node: number): number {
    return wordAt(this.#chunks[node >>> CHUNK_BITS] as Uint32Array, (node & CHUNK_MASK) * 2 + 1);
  }

  /** Adds a node that is never shared. Returns its record. */
  add(left: number, right: number): number {
    if (this.#length >= this.#maxNodes) throw new RangeError(`the tree has more than ${this.#maxNodes} nodes`);
    const node = this.#length++;
    if ((node & CHUNK_MASK) === 0) this.#chunks.push(new Uint32Array(2 ** CHUNK_BITS * 2));
    const chunk = this.#chunks[node >>> CHUNK_BITS] as Uint32Array;
    chunk[(node & CHUNK_MASK) * 2] = left;
    chunk[(node & CHUNK_MASK) * 2 + 1] = right;
    return this.#firstRecord + node;
  }

  /** Returns the record of a node with these records, which may exist already. */
  share(left: number, right: number): number {
    let slot = this.#slotOf(left, right);
    for (;;) {
      const entry = wordAt(this.#slots, slot);
      if (entry === 0) break;
      if (this.left(entry - 1) === left && this.right(entry - 1) === right) return this.#firstRecord + entry - 1;
      slot = (slot + 1) & (this.#slots.length - 1);
    }
    this.#slots[slot] = this.#length + 1;
    const record = this.add(left, right);
    if (++this.#shareable * 2 > this.#slots.length) this.#double();
    return record;
  }

  #double(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(old.length * 2);
    for (const entry of old) {
      if (entry === 0) continue;
      let slot = this.#slotOf(this.left(entry - 1), this.right(entry - 1));
      while (this.#slots[slot] !== 0) slot = (slot + 1) & (this.#slots.length - 1);
      this.#slots[slot] = entry;
    }
  }

  #slotOf(left: number, right: number): number {
    let hash = Math.imul(left, 0x9e3779b1) ^ Math.imul(right ^ (right >>> 15), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    return (hash ^ (hash >>> 13)) & (this.#slots.length - 1);
  }
}
