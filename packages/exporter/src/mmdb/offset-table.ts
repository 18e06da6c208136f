import type { ByteList } from "@dbdepot/formats/mmdb/byte-list";
import { wordAt } from "@dbdepot/formats/mmdb/uint32-list";

/**
 * A hash table that finds the offset of an encoded value. A Map would store all values a second time, as keys, and is
 * limited to 16 million entries.
 */
export class OffsetTable {
  readonly #section: ByteList;
  #hashes = new Uint32Array(1 << 12);
  /** Offset plus one; zero is a free slot. */
  #offsets = new Uint32Array(1 << 12);
  #count = 0;

  constructor(section: ByteList) {
    this.#section = section;
  }

  find(encoded: ByteList): number | undefined {
    const hash = hashOf(encoded);
    for (let slot = this.#slotOf(hash); ; slot = this.#next(slot)) {
      const entry = wordAt(this.#offsets, slot);
      if (entry === 0) return undefined;
      if (this.#hashes[slot] === hash && startsWith(this.#section, entry - 1, encoded)) return entry - 1;
    }
  }

  add(encoded: ByteList, offset: number): void {
    if (++this.#count * 2 > this.#offsets.length) this.#double();
    this.#put(hashOf(encoded), offset + 1);
  }

  #put(hash: number, entry: number): void {
    let slot = this.#slotOf(hash);
    while (this.#offsets[slot] !== 0) slot = this.#next(slot);
    this.#hashes[slot] = hash;
    this.#offsets[slot] = entry;
  }

  #double(): void {
    const hashes = this.#hashes;
    const offsets = this.#offsets;
    this.#hashes = new Uint32Array(hashes.length * 2);
    this.#offsets = new Uint32Array(offsets.length * 2);
    for (let slot = 0; slot < offsets.length; slot++) {
      if (offsets[slot] !== 0) this.#put(wordAt(hashes, slot), wordAt(offsets, slot));
    }
  }

  #slotOf(hash: number): number {
    return hash & (this.#offsets.length - 1);
  }

  #next(slot: number): number {
    return (slot + 1) & (this.#offsets.length - 1);
  }
}

/** The encoding contains the length, so a stored value that starts with these bytes is equal. */
function startsWith(section: ByteList, offset: number, encoded: ByteList): boolean {
  const { storage: stored } = section;
  const { storage: wanted, length } = encoded;
  for (let i = 0; i < length; i++) if (stored[offset + i] !== wanted[i]) return false;
  return true;
}

/** FNV-1a with a final mix, so that the low bits, which select the slot, depend on all others. */
function hashOf({ storage, length }: ByteList): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < length; i++) hash = Math.imul(hash ^ (storage[i] as number), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
