import type { Scope } from "@dbdepot/contract/scopes";
import type { SecretHash } from "../keys/secret.ts";
import type { KeyUses, KnownKey } from "../keys/store.ts";
import { putUuid, readWord, uuidAt } from "./hex-words.ts";
import { Texts } from "./texts.ts";

/**
 * An entry, in words of 32 bits: the hash, the key's id, where its organization, scopes and CIDRs stand among the
 * texts, whether it is revoked, and as two 64-bit numbers the key's end and the secret's.
 */
const HASH_WORDS = 8;
const ID = HASH_WORDS;
const ORGANIZATION = 12;
const SCOPES = 13;
const CIDRS = 14;
const REVOKED = 15;
const ENTRY_WORDS = 20;
/** The same, counted in 64-bit numbers. */
const KEY_END = 8;
const SECRET_END = 9;
const ENTRY_NUMBERS = 10;

const CHUNK_BITS = 13;
const CHUNK_ENTRIES = 1 << CHUNK_BITS;
const PART_BITS = 8;
const FIRST_SLOTS = 16;
const BETWEEN = " ";
const NOBODYS = -1;
const ANYWHERE: readonly string[] = [];
/** A power of two. */
const RECENT_MAX = 8192;

/** A piece of the table: 8192 entries, so that it grows without ever being copied. */
class Chunk {
  readonly words = new Int32Array(CHUNK_ENTRIES * ENTRY_WORDS);
  readonly numbers = new Float64Array(this.words.buffer);
  /** When each was last used, in milliseconds; 0 when that was taken away to be stored. */
  readonly uses = new Float64Array(CHUNK_ENTRIES);
}

/** Where to find the entries whose hashes begin alike: a 256th of all, so that growing holds up nobody. */
class Part {
  /** Open addressing: the number of an entry and 1, or 0. At most half of them are taken. */
  slots = new Uint32Array(FIRST_SLOTS);
  taken = 0;
}

/**
 * Every secret of every key, by its hash: 97 bytes each where there are a million. They lie outside of the heap, so that
 * the garbage collector has nothing to do with them. Keys' ids are UUIDs in lower case, as ids.ts makes them. Nothing is
 * ever taken out: a key that is revoked stays known.
 */
export class KeyTable {
  readonly #parts = Array.from({ length: 1 << PART_BITS }, () => new Part());
  readonly #chunks: Chunk[] = [];
  readonly #organizations: Texts;
  readonly #scopes = new Texts();
  readonly #cidrs = new Texts();
  readonly #scopeLists: (readonly Scope[])[] = [];
  /**
   * Keys in use, as they were given out, so that they are not put together for every request. Of entries that share a
   * place, the one that was asked for twice in a row has it: where every request has another key, none is kept.
   */
  readonly #recent = new Array<KnownKey | undefined>(RECENT_MAX).fill(undefined);
  readonly #recentEntries = new Int32Array(RECENT_MAX).fill(-1);
  #size = 0;
  #nextUse = -1;

  /** The texts may be shared: who has the same ones compares them at a glance. */
  constructor(organizations = new Texts()) {
    this.#organizations = organizations;
  }

  get size(): number {
    return this.#size;
  }

  get(hash: SecretHash): KnownKey | undefined {
    const entry = this.#find(hash);
    if (entry === undefined) return undefined;
    const place = entry % RECENT_MAX;
    if (this.#recentEntries[place] !== entry) {
      this.#forget(place);
      this.#recentEntries[place] = entry;
      return this.#read(entry);
    }
    this.#recent[place] ??= this.#read(entry);
    return this.#recent[place];
  }

  #read(entry: number): KnownKey {
    const { words, numbers } = this.#chunkOf(entry);
    const start = (entry % CHUNK_ENTRIES) * ENTRY_WORDS;
    const firstNumber = (entry % CHUNK_ENTRIES) * ENTRY_NUMBERS;
    const organization = words[start + ORGANIZATION] as number;
    const cidrs = this.#cidrs.at(words[start + CIDRS] as number);
    return {
      key: {
        id: uuidAt(words, start + ID),
        organizationId: organization === NOBODYS ? null : this.#organizations.at(organization),
        scopes: this.#scopeLists[words[start + SCOPES] as number] as readonly Scope[],
        cidrs: cidrs === "" ? ANYWHERE : cidrs.split(BETWEEN),
        expires: dateOf(numbers[firstNumber + KEY_END]),
        revoked: words[start + REVOKED] === 1,
      },
      secret: { expires: dateOf(numbers[firstNumber + SECRET_END]) },
      place: entry,
    };
  }

  /** The number of its organization's text; negative where it has none. */
  organizationAt(place: number): number {
    return this.#chunkOf(place).words[(place % CHUNK_ENTRIES) * ENTRY_WORDS + ORGANIZATION] as number;
  }

  noteUse(place: number, usedMs: number): void {
    this.#chunkOf(place).uses[place % CHUNK_ENTRIES] = usedMs;
  }

  /** Goes on where it ended the last time, so that all have their turn. */
  takeUses(limit: number): KeyUses {
    const taken: [string, number][] = [];
    for (let left = this.#size; left > 0 && taken.length < limit; left -= 1) {
      this.#nextUse = (this.#nextUse + 1) % this.#size;
      const { words, uses } = this.#chunkOf(this.#nextUse);
      const at = this.#nextUse % CHUNK_ENTRIES;
      const usedMs = uses[at] as number;
      if (usedMs === 0) continue;
      uses[at] = 0;
      taken.push([uuidAt(words, at * ENTRY_WORDS + ID), usedMs]);
    }
    return taken;
  }

  /** Adds it, or puts it in the place of what was known. */
  put(hash: SecretHash, known: KnownKey): void {
    this.#write(this.#find(hash) ?? this.#append(hash), known);
  }

  /** Adds it unless it is known. */
  add(hash: SecretHash, known: KnownKey): void {
    if (this.#find(hash) === undefined) this.#write(this.#append(hash), known);
  }

  #find(hash: SecretHash): number | undefined {
    const first = readWord(hash, 0);
    const { slots } = this.#partOf(first);
    for (let slot = first & (slots.length - 1); ; slot = (slot + 1) & (slots.length - 1)) {
      const taken = slots[slot] as number;
      if (taken === 0) return undefined;
      if (this.#isOf(taken - 1, first, hash)) return taken - 1;
    }
  }

  /** Every bit of the hash counts: what is alike in a part of it is another secret. */
  #isOf(entry: number, first: number, hash: SecretHash): boolean {
    const { words } = this.#chunkOf(entry);
    const start = (entry % CHUNK_ENTRIES) * ENTRY_WORDS;
    if (words[start] !== first) return false;
    for (let word = 1; word < HASH_WORDS; word += 1) {
      if (words[start + word] !== readWord(hash, word * 8)) return false;
    }
    return true;
  }

  #append(hash: SecretHash): number {
    const entry = this.#size;
    if (entry % CHUNK_ENTRIES === 0) this.#chunks.push(new Chunk());
    const { words } = this.#chunkOf(entry);
    const start = (entry % CHUNK_ENTRIES) * ENTRY_WORDS;
    for (let word = 0; word < HASH_WORDS; word += 1) words[start + word] = readWord(hash, word * 8);
    const first = words[start] as number;
    const part = this.#partOf(first);
    part.taken += 1;
    if (part.taken * 2 > part.slots.length) this.#grow(part);
    takeSlot(part.slots, first, entry + 1);
    this.#size += 1;
    return entry;
  }

  #grow(part: Part): void {
    const slots = new Uint32Array(part.slots.length * 2);
    for (const taken of part.slots) if (taken !== 0) takeSlot(slots, this.#firstWord(taken - 1), taken);
    part.slots = slots;
  }

  #write(entry: number, { key, secret }: KnownKey): void {
    this.#forget(entry % RECENT_MAX);
    const { words, numbers } = this.#chunkOf(entry);
    const start = (entry % CHUNK_ENTRIES) * ENTRY_WORDS;
    const firstNumber = (entry % CHUNK_ENTRIES) * ENTRY_NUMBERS;
    putUuid(words, start + ID, key.id);
    const { organizationId } = key;
    words[start + ORGANIZATION] = organizationId === null ? NOBODYS : this.#organizations.numberOf(organizationId);
    const scopes = this.#scopes.numberOf(key.scopes.join(BETWEEN));
    this.#scopeLists[scopes] ??= [...key.scopes];
    words[start + SCOPES] = scopes;
    words[start + CIDRS] = this.#cidrs.numberOf(key.cidrs.join(BETWEEN));
    words[start + REVOKED] = key.revoked ? 1 : 0;
    numbers[firstNumber + KEY_END] = key.expires?.getTime() ?? Number.NaN;
    numbers[firstNumber + SECRET_END] = secret.expires?.getTime() ?? Number.NaN;
  }

  #forget(place: number): void {
    if (this.#recent[place]) this.#recent[place] = undefined;
  }

  #firstWord(entry: number): number {
    return this.#chunkOf(entry).words[(entry % CHUNK_ENTRIES) * ENTRY_WORDS] as number;
  }

  #partOf(first: number): Part {
    return this.#parts[first >>> (32 - PART_BITS)] as Part;
  }

  #chunkOf(entry: number): Chunk {
    return this.#chunks[entry >>> CHUNK_BITS] as Chunk;
  }
}

function takeSlot(slots: Uint32Array, first: number, taken: number): void {
  let slot = first & (slots.length - 1);
  while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
  slots[slot] = taken;
}

function dateOf(ms: number | undefined): Date | null {
  return ms === undefined || Number.isNaN(ms) ? null : new Date(ms);
}
