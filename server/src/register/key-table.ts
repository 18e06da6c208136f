import type { Scope } from "@dbdepot/contract/scopes";
import type { DoorKey } from "../keys/key.ts";
import type { SecretHash } from "../keys/secret.ts";
import type { KeyUses, KnownKey } from "../keys/store.ts";
import { putUuid, readWord, uuidAt } from "./hex-words.ts";
import { newSlots, putIn, type Slots } from "./slots.ts";
import { Texts } from "./texts.ts";

/**
 * An entry, in words of 32 bits: the hash, where its organization, scopes and CIDRs stand among the texts, whether it is
 * revoked or ends, and the key's id. With 64 bytes, of which the id is seldom asked for, one look into memory is enough.
 */
const HASH_WORDS = 8;
const ORGANIZATION = HASH_WORDS;
const SCOPES = 9;
const CIDRS = 10;
const STATE = 11;
const ID = 12;
const ENTRY_WORDS = 16;

/** Bits of the state. */
const REVOKED = 1;
const ENDS = 2;

const CHUNK_BITS = 15;
const CHUNK_ENTRIES = 1 << CHUNK_BITS;
const PART_BITS = 6;
const BETWEEN = " ";
const NOBODYS = -1;
const ANYWHERE = -1;
const NO_CIDRS: readonly string[] = [];

/** A piece of the table: 32,768 entries, so that it grows without ever being copied. */
class Chunk {
  readonly words = new Int32Array(CHUNK_ENTRIES * ENTRY_WORDS);
  /** When each was last used, in milliseconds; 0 when that was taken away to be stored. */
  readonly uses = new Float64Array(CHUNK_ENTRIES);
  /** The key's end and the secret's, in milliseconds; made with the first key that has one. */
  ends: Float64Array | undefined;
}

/** What the door asks of a key. Its id is put together only when it is asked for: where every request has another key, that is seldom. */
class Entry implements DoorKey {
  readonly organizationId: string | null;
  readonly scopes: readonly Scope[];
  readonly cidrs: readonly string[];
  readonly expires: Date | null;
  readonly revoked: boolean;
  readonly #words: Int32Array;
  readonly #id: number;

  constructor(said: Omit<DoorKey, "id"> & { revoked: boolean }, words: Int32Array, id: number) {
    this.organizationId = said.organizationId;
    this.scopes = said.scopes;
    this.cidrs = said.cidrs;
    this.expires = said.expires;
    this.revoked = said.revoked;
    this.#words = words;
    this.#id = id;
  }

  get id(): string {
    return uuidAt(this.#words, this.#id);
  }
}

/**
 * Every secret of every key, by its hash: 89 bytes each where there are a million. They lie outside of the heap, so that
 * the garbage collector has nothing to do with them. Keys' ids are UUIDs in lower case, as ids.ts makes them. Nothing is
 * ever taken out: a key that is revoked stays known.
 */
export class KeyTable {
  /** By the first words of their hashes, in 64 parts: so that growing holds up nobody. */
  readonly #slots = Array.from({ length: 1 << PART_BITS }, newSlots);
  readonly #slotsTaken = new Uint32Array(1 << PART_BITS);
  readonly #chunks: Chunk[] = [];
  readonly #organizations: Texts;
  readonly #scopes = new Texts();
  readonly #cidrs = new Texts();
  readonly #scopeLists: (readonly Scope[])[] = [];
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
    return entry === undefined ? undefined : this.#read(entry);
  }

  #read(entry: number): KnownKey {
    const { words, ends } = this.#chunkOf(entry);
    const at = entry % CHUNK_ENTRIES;
    const start = at * ENTRY_WORDS;
    const organization = words[start + ORGANIZATION] as number;
    const cidrs = words[start + CIDRS] as number;
    const state = words[start + STATE] as number;
    const endsOf = (state & ENDS) === 0 ? undefined : ends;
    const said = {
      organizationId: organization === NOBODYS ? null : this.#organizations.at(organization),
      scopes: this.#scopeLists[words[start + SCOPES] as number] as readonly Scope[],
      cidrs: cidrs === ANYWHERE ? NO_CIDRS : this.#cidrs.at(cidrs).split(BETWEEN),
      expires: dateOf(endsOf?.[at * 2]),
      revoked: (state & REVOKED) !== 0,
    };
    return {
      key: new Entry(said, words, start + ID),
      secret: { expires: dateOf(endsOf?.[at * 2 + 1]) },
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
    const slots = this.#slots[partOf(first)] as Slots;
    const mask = slots.length - 1;
    for (let slot = (first * 2) & mask; ; slot = (slot + 2) & mask) {
      const taken = slots[slot + 1] as number;
      if (taken === 0) return undefined;
      if (slots[slot] === first && this.#isOf(taken - 1, hash)) return taken - 1;
    }
  }

  /** Every bit of the hash counts: what is alike in a part of it is another secret. */
  #isOf(entry: number, hash: SecretHash): boolean {
    const { words } = this.#chunkOf(entry);
    const start = (entry % CHUNK_ENTRIES) * ENTRY_WORDS;
    for (let word = 0; word < HASH_WORDS; word += 1) {
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
    const part = partOf(first);
    const taken = (this.#slotsTaken[part] as number) + 1;
    this.#slotsTaken[part] = taken;
    this.#slots[part] = putIn(this.#slots[part] as Slots, taken, first, entry);
    this.#size += 1;
    return entry;
  }

  #write(entry: number, { key, secret }: KnownKey): void {
    const chunk = this.#chunkOf(entry);
    const { words } = chunk;
    const at = entry % CHUNK_ENTRIES;
    const start = at * ENTRY_WORDS;
    const { organizationId } = key;
    words[start + ORGANIZATION] = organizationId === null ? NOBODYS : this.#organizations.numberOf(organizationId);
    const scopes = this.#scopes.numberOf(key.scopes.join(BETWEEN));
    this.#scopeLists[scopes] ??= [...key.scopes];
    words[start + SCOPES] = scopes;
    words[start + CIDRS] = key.cidrs.length === 0 ? ANYWHERE : this.#cidrs.numberOf(key.cidrs.join(BETWEEN));
    const doesEnd = key.expires !== null || secret.expires !== null;
    words[start + STATE] = (key.revoked ? REVOKED : 0) | (doesEnd ? ENDS : 0);
    putUuid(words, start + ID, key.id);
    if (!doesEnd) return;
    chunk.ends ??= new Float64Array(CHUNK_ENTRIES * 2);
    chunk.ends[at * 2] = key.expires?.getTime() ?? Number.NaN;
    chunk.ends[at * 2 + 1] = secret.expires?.getTime() ?? Number.NaN;
  }

  #chunkOf(entry: number): Chunk {
    return this.#chunks[entry >>> CHUNK_BITS] as Chunk;
  }
}

function partOf(first: number): number {
  return first >>> (32 - PART_BITS);
}

function dateOf(ms: number | undefined): Date | null {
  return ms === undefined || Number.isNaN(ms) ? null : new Date(ms);
}
