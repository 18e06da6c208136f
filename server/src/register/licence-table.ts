import type { Redistribution } from "@dbdepot/contract/catalogue";
import type { Licence } from "../licences/licence.ts";
import { EntryTable, firstPlace, nextPlace, type Part, STATE, TAKEN } from "./entry-table.ts";
import { putUuid, uuidAt } from "./hex-words.ts";
import { Texts } from "./texts.ts";

/**
 * An entry: what organization and family are mixed to, where they and its terms stand among the texts, whether the
 * organization has more for the same family, as three 64-bit numbers when it starts, expires and was created, and the
 * licence's id.
 */
const ORGANIZATION = 1;
const FAMILY = 2;
const REDISTRIBUTION = 3;
const ID = 12;
/** Counted in 64-bit numbers. */
const STARTS = 2;
const EXPIRES = 3;
const CREATED = 5;

/** A bit of the state. */
const MORE = 2;

const NONE = -1;
const NO_LICENCES: readonly Licence[] = [];

interface SharedTexts {
  organizations: Texts;
  families: Texts;
  redistributions: Texts;
}

/** A licence that looks up what it is asked for: most are asked only whether they are live. To keep whole ones was no faster. */
class Entry implements Licence {
  readonly #part: Part;
  readonly #start: number;
  readonly #texts: SharedTexts;

  constructor(part: Part, start: number, texts: SharedTexts) {
    this.#part = part;
    this.#start = start;
    this.#texts = texts;
  }

  get id(): string {
    return uuidAt(this.#part.words, this.#start + ID);
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
    return this.#part.words[this.#start + place] as number;
  }

  #number(place: number): number {
    return this.#part.numbers[this.#start / 2 + place] as number;
  }
}

/**
 * Every licence, by organization and family. As objects 200,000 took 46 MB of heap, and the garbage collector went
 * through all of them again and again. Their ids are UUIDs in lower case, as ids.ts makes them. Nothing is ever taken
 * out: a licence that has ended stays known.
 */
export class LicenceTable {
  readonly #entries = new EntryTable();
  readonly #texts: SharedTexts;

  constructor(organizations = new Texts()) {
    this.#texts = { organizations, families: new Texts(), redistributions: new Texts() };
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Makes room for so many licences at once. */
  reserve(licences: number): void {
    this.#entries.reserve(licences);
  }

  /** All of an organization for a family. */
  get(organizationId: string, base: string): readonly Licence[] {
    const organization = this.#texts.organizations.known(organizationId);
    const family = this.#texts.families.known(base);
    return organization === undefined || family === undefined ? NO_LICENCES : this.at(organization, family);
  }

  /** The same, by the numbers of their texts: where there are many, to look those up takes longer than all the rest. */
  at(organization: number, family: number): readonly Licence[] {
    const word = mixed(organization, family);
    const part = this.#entries.partOf(word);
    const { words } = part;
    let start = nextOf(words, organization, family, firstPlace(words, word));
    if (start === NONE) return NO_LICENCES;
    const licences = [new Entry(part, start, this.#texts)];
    while (hasMore(words, start)) {
      start = nextOf(words, organization, family, nextPlace(words, start));
      if (start === NONE) break;
      licences.push(new Entry(part, start, this.#texts));
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
    const word = mixed(organization, family);
    const known = this.#entries.partOf(word);
    const others: number[] = [];
    let at = nextOf(known.words, organization, family, firstPlace(known.words, word));
    while (at !== NONE) {
      if (uuidAt(known.words, at + ID) === licence.id) return void this.#write(known, at, licence);
      others.push(at);
      at = nextOf(known.words, organization, family, nextPlace(known.words, at));
    }
    for (const other of others) setMore(known.words, other);
    const { part, start } = this.#entries.add(word);
    if (others.length > 0) setMore(part.words, start);
    part.words[start + ORGANIZATION] = organization;
    part.words[start + FAMILY] = family;
    putUuid(part.words, start + ID, licence.id);
    this.#write(part, start, licence);
  }

  #write({ words, numbers }: Part, start: number, { redistribution, starts, expires, created }: Licence): void {
    words[start + REDISTRIBUTION] = this.#texts.redistributions.numberOf(redistribution);
    numbers[start / 2 + STARTS] = starts.getTime();
    numbers[start / 2 + EXPIRES] = expires?.getTime() ?? Number.NaN;
    numbers[start / 2 + CREATED] = created.getTime();
  }
}

/** The next of the two, from this place on. */
function nextOf(words: Int32Array, organization: number, family: number, from: number): number {
  for (let start = from; words[start + STATE] !== 0; start = nextPlace(words, start)) {
    if (words[start + ORGANIZATION] === organization && words[start + FAMILY] === family) return start;
  }
  return NONE;
}

function hasMore(words: Int32Array, start: number): boolean {
  return ((words[start + STATE] as number) & MORE) !== 0;
}

/** Of each that has others beside it: which of them comes first changes as the table grows. */
function setMore(words: Int32Array, start: number): void {
  words[start + STATE] = TAKEN | MORE;
}

/** Neighbours are spread over all places. */
function mixed(organization: number, family: number): number {
  const sum = Math.imul(organization, 0x9e3779b1) ^ Math.imul(family, 0x85ebca6b);
  return sum ^ (sum >>> 15);
}
