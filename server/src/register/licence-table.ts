import type { Redistribution } from "@dbdepot/contract/catalogue";
import type { Licence } from "../licences/licence.ts";
import { putUuid, uuidAt } from "./hex-words.ts";
import { Texts } from "./texts.ts";

/**
 * An entry, in words of 32 bits: the licence's id, where its organization, family and terms stand among the texts, the
 * next entry of the same organization and family, and as three 64-bit numbers when it starts, expires and was created.
 */
const ORGANIZATION = 4;
const FAMILY = 5;
const REDISTRIBUTION = 6;
const NEXT = 7;
const ENTRY_WORDS = 14;
/** The same, counted in 64-bit numbers. */
const STARTS = 4;
const EXPIRES = 5;
const CREATED = 6;
const ENTRY_NUMBERS = 7;

const CHUNK_BITS = 12;
const CHUNK_ENTRIES = 1 << CHUNK_BITS;
const FIRST_SLOTS = 64;
const NONE = -1;
const NO_LICENCES: readonly Licence[] = [];
/** A power of two. */
const RECENT_MAX = 16_384;

/** A piece of the table, so that it grows without being copied. */
class Chunk {
  readonly words = new Int32Array(CHUNK_ENTRIES * ENTRY_WORDS);
  readonly numbers = new Float64Array(this.words.buffer);
}

/**
 * Every licence, by organization and family: 67 bytes each where there are 200,000. As objects they took 260, and the
 * garbage collector went through all of them again and again. Their ids are UUIDs in lower case, as ids.ts makes them.
 * Nothing is ever taken out: a licence that has ended stays known.
 */
export class LicenceTable {
  readonly #chunks: Chunk[] = [];
  readonly #organizations: Texts;
  readonly #families = new Texts();
  readonly #redistributions = new Texts();
  /** Open addressing: the first entry of an organization and family, and 1; or 0. At most half of them are taken. */
  #slots = new Uint32Array(FIRST_SLOTS);
  #slotsTaken = 0;
  #size = 0;
  /**
   * Licences in use, as they were given out. Of those that share a place, the one that was asked for twice in a row
   * has it: where every request is about another one, none is kept.
   */
  readonly #recent = new Array<readonly Licence[] | undefined>(RECENT_MAX).fill(undefined);
  readonly #recentEntries = new Int32Array(RECENT_MAX).fill(NONE);

  constructor(organizations = new Texts()) {
    this.#organizations = organizations;
  }

  get size(): number {
    return this.#size;
  }

  /** All of an organization for a family. */
  get(organizationId: string, base: string): readonly Licence[] {
    const organization = this.#organizations.known(organizationId);
    const family = this.#families.known(base);
    return organization === undefined || family === undefined ? NO_LICENCES : this.at(organization, family);
  }

  /** The same, by the numbers of their texts: where there are many, to look those up takes longer than all the rest. */
  at(organization: number, family: number): readonly Licence[] {
    const entry = (this.#slots[this.#slotOf(organization, family)] as number) - 1;
    if (entry === NONE) return NO_LICENCES;
    const place = entry % RECENT_MAX;
    if (this.#recentEntries[place] !== entry) {
      this.#recentEntries[place] = entry;
      this.#recent[place] = undefined;
      return this.#readAll(entry);
    }
    this.#recent[place] ??= this.#readAll(entry);
    return this.#recent[place];
  }

  familyNumber(base: string): number {
    return this.#families.numberOf(base);
  }

  /** Adds it, or puts it in the place of what was known of it. */
  put(licence: Licence): void {
    const organization = this.#organizations.numberOf(licence.organizationId);
    const family = this.#families.numberOf(licence.base);
    let slot = this.#slotOf(organization, family);
    const first = (this.#slots[slot] as number) - 1;
    let entry = this.#findId(first, licence.id);
    if (entry === NONE) {
      entry = this.#append(organization, family, licence.id);
      if (first === NONE) {
        this.#slotsTaken += 1;
        if (this.#slotsTaken * 2 > this.#slots.length) this.#growSlots();
        slot = this.#slotOf(organization, family);
        this.#slots[slot] = entry + 1;
      } else {
        // Behind the first one, which the slot goes on to name.
        this.#set(entry, NEXT, this.#word(first, NEXT));
        this.#set(first, NEXT, entry);
      }
    }
    this.#write(entry, licence);
    this.#recent[(first === NONE ? entry : first) % RECENT_MAX] = undefined;
  }

  #readAll(first: number): readonly Licence[] {
    // A list with one element has room for one: most are of that kind.
    const licences = [this.#read(first)];
    for (let entry = this.#word(first, NEXT); entry !== NONE; entry = this.#word(entry, NEXT)) {
      licences.push(this.#read(entry));
    }
    return licences;
  }

  #read(entry: number): Licence {
    const { words, numbers } = this.#chunkOf(entry);
    const start = (entry % CHUNK_ENTRIES) * ENTRY_WORDS;
    const firstNumber = (entry % CHUNK_ENTRIES) * ENTRY_NUMBERS;
    const expires = numbers[firstNumber + EXPIRES] as number;
    return {
      id: uuidAt(words, start),
      organizationId: this.#organizations.at(words[start + ORGANIZATION] as number),
      base: this.#families.at(words[start + FAMILY] as number),
      redistribution: this.#redistributions.at(words[start + REDISTRIBUTION] as number) as Redistribution,
      starts: new Date(numbers[firstNumber + STARTS] as number),
      expires: Number.isNaN(expires) ? null : new Date(expires),
      created: new Date(numbers[firstNumber + CREATED] as number),
    };
  }

  #write(entry: number, { redistribution, starts, expires, created }: Licence): void {
    this.#set(entry, REDISTRIBUTION, this.#redistributions.numberOf(redistribution));
    const { numbers } = this.#chunkOf(entry);
    const firstNumber = (entry % CHUNK_ENTRIES) * ENTRY_NUMBERS;
    numbers[firstNumber + STARTS] = starts.getTime();
    numbers[firstNumber + EXPIRES] = expires?.getTime() ?? Number.NaN;
    numbers[firstNumber + CREATED] = created.getTime();
  }

  #append(organization: number, family: number, id: string): number {
    const entry = this.#size;
    if (entry % CHUNK_ENTRIES === 0) this.#chunks.push(new Chunk());
    this.#size += 1;
    putUuid(this.#chunkOf(entry).words, (entry % CHUNK_ENTRIES) * ENTRY_WORDS, id);
    this.#set(entry, ORGANIZATION, organization);
    this.#set(entry, FAMILY, family);
    this.#set(entry, NEXT, NONE);
    return entry;
  }

  #findId(first: number, id: string): number {
    let entry = first;
    while (entry !== NONE && this.#idOf(entry) !== id) entry = this.#word(entry, NEXT);
    return entry;
  }

  #idOf(entry: number): string {
    return uuidAt(this.#chunkOf(entry).words, (entry % CHUNK_ENTRIES) * ENTRY_WORDS);
  }

  /** Where the organization and family stand, or would. */
  #slotOf(organization: number, family: number): number {
    const mask = this.#slots.length - 1;
    let slot = mixed(organization, family) & mask;
    for (; ; slot = (slot + 1) & mask) {
      const entry = (this.#slots[slot] as number) - 1;
      if (entry === NONE) return slot;
      if (this.#word(entry, ORGANIZATION) === organization && this.#word(entry, FAMILY) === family) return slot;
    }
  }

  #growSlots(): void {
    const taken = this.#slots.filter((first) => first !== 0);
    this.#slots = new Uint32Array(this.#slots.length * 2);
    for (const first of taken) {
      this.#slots[this.#slotOf(this.#word(first - 1, ORGANIZATION), this.#word(first - 1, FAMILY))] = first;
    }
  }

  #word(entry: number, place: number): number {
    return this.#chunkOf(entry).words[(entry % CHUNK_ENTRIES) * ENTRY_WORDS + place] as number;
  }

  #set(entry: number, place: number, word: number): void {
    this.#chunkOf(entry).words[(entry % CHUNK_ENTRIES) * ENTRY_WORDS + place] = word;
  }

  #chunkOf(entry: number): Chunk {
    return this.#chunks[entry >>> CHUNK_BITS] as Chunk;
  }
}

/** Neighbours are spread over all slots. */
function mixed(organization: number, family: number): number {
  const sum = Math.imul(organization, 0x9e3779b1) ^ Math.imul(family, 0x85ebca6b);
  return (sum ^ (sum >>> 15)) >>> 0;
}
