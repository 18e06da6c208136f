import type { Redistribution } from "@dbdepot/contract/catalogue";
import type { Licence } from "../licences/licence.ts";
import { putUuid, uuidAt } from "./hex-words.ts";
import { newSlots, putIn } from "./slots.ts";
import { Texts } from "./texts.ts";

/**
 * An entry, in words of 32 bits: where its organization, family and terms stand among the texts, the next entry of the
 * same organization and family, as three 64-bit numbers when it starts, expires and was created, and the licence's id.
 * What is asked for with every request comes first, so that one look into memory is enough.
 */
const ORGANIZATION = 0;
const FAMILY = 1;
const REDISTRIBUTION = 2;
const NEXT = 3;
const ID = 10;
const ENTRY_WORDS = 16;
/** The same, counted in 64-bit numbers. */
const STARTS = 2;
const EXPIRES = 3;
const CREATED = 4;
const ENTRY_NUMBERS = 8;

const CHUNK_BITS = 15;
const CHUNK_ENTRIES = 1 << CHUNK_BITS;
const NONE = -1;
const NO_LICENCES: readonly Licence[] = [];

/** A piece of the table, so that it grows without being copied. */
class Chunk {
  readonly words = new Int32Array(CHUNK_ENTRIES * ENTRY_WORDS);
  readonly numbers = new Float64Array(this.words.buffer);
}

interface SharedTexts {
  organizations: Texts;
  families: Texts;
  redistributions: Texts;
}

/** A licence that looks up what it is asked for: most are asked only whether they are live. To keep whole ones was no faster. */
class Entry implements Licence {
  readonly #chunk: Chunk;
  readonly #at: number;
  readonly #texts: SharedTexts;

  constructor(chunk: Chunk, at: number, texts: SharedTexts) {
    this.#chunk = chunk;
    this.#at = at;
    this.#texts = texts;
  }

  get id(): string {
    return uuidAt(this.#chunk.words, this.#at * ENTRY_WORDS + ID);
  }

  get organizationId(): string {
    return this.#texts.organizations.at(this.#word(ORGANIZATION));
  }

  get base(): string {
    return this.#texts.families.at(this.#word(FAMILY));
  }

  get redistribution(): Redistribution {
    return this.#texts.redistributions.at(this.#word(REDISTRIBUTION)) as Redistribution;
  }

  get starts(): Date {
    return new Date(this.#number(STARTS));
  }

  get expires(): Date | null {
    const ms = this.#number(EXPIRES);
    return Number.isNaN(ms) ? null : new Date(ms);
  }

  get created(): Date {
    return new Date(this.#number(CREATED));
  }

  #word(place: number): number {
    return this.#chunk.words[this.#at * ENTRY_WORDS + place] as number;
  }

  #number(place: number): number {
    return this.#chunk.numbers[this.#at * ENTRY_NUMBERS + place] as number;
  }
}

/**
 * Every licence, by organization and family: 85 bytes each where there are 200,000. As objects they took 46 MB of heap,
 * and the garbage collector went through all of them again and again. Their ids are UUIDs in lower case, as ids.ts makes them.
 * Nothing is ever taken out: a licence that has ended stays known.
 */
export class LicenceTable {
  readonly #chunks: Chunk[] = [];
  readonly #texts: SharedTexts;
  /** By what organization and family are mixed to: the first entry of both. */
  #slots = newSlots();
  #slotsTaken = 0;
  #size = 0;

  constructor(organizations = new Texts()) {
    this.#texts = { organizations, families: new Texts(), redistributions: new Texts() };
  }

  get size(): number {
    return this.#size;
  }

  /** All of an organization for a family. */
  get(organizationId: string, base: string): readonly Licence[] {
    const organization = this.#texts.organizations.known(organizationId);
    const family = this.#texts.families.known(base);
    return organization === undefined || family === undefined ? NO_LICENCES : this.at(organization, family);
  }

  /** The same, by the numbers of their texts: where there are many, to look those up takes longer than all the rest. */
  at(organization: number, family: number): readonly Licence[] {
    const first = this.#first(organization, family);
    if (first === NONE) return NO_LICENCES;
    const licences = [this.#read(first)];
    for (let entry = this.#word(first, NEXT); entry !== NONE; entry = this.#word(entry, NEXT)) {
      licences.push(this.#read(entry));
    }
    return licences;
  }

  familyNumber(base: string): number {
    return this.#texts.families.numberOf(base);
  }

  /** Adds it, or puts it in the place of what was known of it. */
  put(licence: Licence): void {
    const organization = this.#texts.organizations.numberOf(licence.organizationId);
    const family = this.#texts.families.numberOf(licence.base);
    const first = this.#first(organization, family);
    let entry = this.#findId(first, licence.id);
    if (entry === NONE) {
      entry = this.#append(organization, family, licence.id);
      if (first === NONE) {
        this.#slotsTaken += 1;
        this.#slots = putIn(this.#slots, this.#slotsTaken, mixed(organization, family), entry);
      } else {
        // Behind the first one, which the slot goes on to name.
        this.#set(entry, NEXT, this.#word(first, NEXT));
        this.#set(first, NEXT, entry);
      }
    }
    this.#write(entry, licence);
  }

  #read(entry: number): Licence {
    return new Entry(this.#chunkOf(entry), entry % CHUNK_ENTRIES, this.#texts);
  }

  #write(entry: number, { redistribution, starts, expires, created }: Licence): void {
    this.#set(entry, REDISTRIBUTION, this.#texts.redistributions.numberOf(redistribution));
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
    putUuid(this.#chunkOf(entry).words, (entry % CHUNK_ENTRIES) * ENTRY_WORDS + ID, id);
    this.#set(entry, ORGANIZATION, organization);
    this.#set(entry, FAMILY, family);
    this.#set(entry, NEXT, NONE);
    return entry;
  }

  #findId(first: number, id: string): number {
    let entry = first;
    while (entry !== NONE && this.#read(entry).id !== id) entry = this.#word(entry, NEXT);
    return entry;
  }

  #first(organization: number, family: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    const sum = mixed(organization, family);
    for (let slot = (sum * 2) & mask; ; slot = (slot + 2) & mask) {
      const entry = (slots[slot + 1] as number) - 1;
      if (entry === NONE || (slots[slot] === sum && this.#isOf(entry, organization, family))) return entry;
    }
  }

  #isOf(entry: number, organization: number, family: number): boolean {
    return this.#word(entry, ORGANIZATION) === organization && this.#word(entry, FAMILY) === family;
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
  return sum ^ (sum >>> 15);
}
