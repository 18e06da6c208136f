import type { ByteList } from "./byte-list.ts";
import { wordAt } from "./uint32-list.ts";

/**
 * Finds an encoded value among those stored. A hash table of offsets, eight bytes a slot: a Map
 * with the values as keys would hold all of them twice, and ends at 16 million.
 */
export class OffsetTable {
  readonly #section: ByteList;
  #hashes = new Uint32Array(1 << 12);
  /** Offset plus one; zero is a free slot. */
  #places = new Uint32Array(1 << 12);
  #count = 0;

  constructor(section: ByteList) {
    this.#section = section;
  }

  find(encoded: ByteList): number | undefined {
    const hash = hashOf(encoded);
    for (let slot = this.#slotOf(hash); ; slot = this.#after(slot)) {
      const place = wordAt(this.#places, slot);
      if (place === 0) return undefined;
      if (this.#hashes[slot] === hash && startsWith(this.#section, place - 1, encoded)) return place - 1;
    }
  }

  add(encoded: ByteList, offset: number): void {
    if (++this.#count * 2 > this.#places.length) this.#double();
    this.#put(hashOf(encoded), offset + 1);
  }

  #put(hash: number, place: number): void {
    let slot = this.#slotOf(hash);
    while (this.#places[slot] !== 0) slot = this.#after(slot);
    this.#hashes[slot] = hash;
    this.#places[slot] = place;
  }

  #double(): void {
    const hashes = this.#hashes;
    const places = this.#places;
    this.#hashes = new Uint32Array(hashes.length * 2);
    this.#places = new Uint32Array(places.length * 2);
    for (let slot = 0; slot < places.length; slot++) {
      if (places[slot] !== 0) this.#put(wordAt(hashes, slot), wordAt(places, slot));
    }
  }

  #slotOf(hash: number): number {
    return hash & (this.#places.length - 1);
  }

  #after(slot: number): number {
    return (slot + 1) & (this.#places.length - 1);
  }
}

/** An encoded value says itself where it ends: what starts with the same bytes is the same value. */
function startsWith(section: ByteList, offset: number, encoded: ByteList): boolean {
  const { storage: stored } = section;
  const { storage: wanted, length } = encoded;
  for (let i = 0; i < length; i++) if (stored[offset + i] !== wanted[i]) return false;
  return true;
}

/** FNV-1a, and a last stir so that the low bits, which pick the slot, depend on all the others. */
function hashOf({ storage, length }: ByteList): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < length; i++) hash = Math.imul(hash ^ (storage[i] as number), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
