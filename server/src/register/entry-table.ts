/**
 * Entries of 64 bytes, in words of 32 bits, that are found by their first word: each lies where that word says, or
 * behind it where others are in the way. So one look into memory finds an entry among a million; with a list of places
 * beside the entries it was two, of some 0.5 µs each under load.
 *
 * They lie outside of the heap, so that the garbage collector has nothing to do with them, and in 64 parts, so that
 * growing holds up nobody for long. Nothing is ever taken out.
 */
export const ENTRY_WORDS = 16;
/** The word that says whether a place is taken: then it is not 0. */
export const STATE = 8;
export const TAKEN = 1;

const PART_BITS = 6;
const FIRST_PLACES = 8;
/** In a fuller part ways are longer, and an emptier one takes more memory: with this an entry takes 80 to 100 bytes. */
const FULL_AT = 0.8;
const GROWTH = 1.25;
const ENTRY_BYTES = ENTRY_WORDS * 4;

/** A part, twice: as words, and as numbers of 64 bits. */
export class Part {
  readonly words: Int32Array;
  readonly numbers: Float64Array;

  constructor(places: number) {
    const bytes = new ArrayBuffer(places * ENTRY_BYTES);
    this.words = new Int32Array(bytes);
    this.numbers = new Float64Array(bytes);
  }
}

export class EntryTable {
  /** An entry moves when its part grows: who holds on to a part has what was there before. */
  readonly parts = Array.from({ length: 1 << PART_BITS }, () => new Part(FIRST_PLACES));
  readonly #taken = new Uint32Array(1 << PART_BITS);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Makes room for so many at once. To grow bit by bit to a million leaves holes of 30 MB in memory. */
  reserve(entries: number): void {
    const each = entries / this.parts.length;
    // Some parts get more than others.
    const places = Math.ceil((each + 4 * Math.sqrt(each)) / FULL_AT);
    for (const [number, part] of this.parts.entries()) {
      if (placesIn(part.words) < places) this.parts[number] = grown(part, places);
    }
  }

  /** Where an entry with this word is, if it is anywhere. */
  partOf(word: number): Part {
    return this.parts[partNumber(word)] as Part;
  }

  /** Takes a place for a new entry, with nothing in it yet but that word. */
  add(word: number): { part: Part; start: number } {
    const number = partNumber(word);
    let part = this.parts[number] as Part;
    const taken = (this.#taken[number] as number) + 1;
    const places = placesIn(part.words);
    if (taken > places * FULL_AT) {
      part = grown(part, Math.ceil(places * GROWTH));
      this.parts[number] = part;
    }
    this.#taken[number] = taken;
    this.#size += 1;
    const start = freePlace(part.words, word);
    part.words[start] = word;
    part.words[start + STATE] = TAKEN;
    return { part, start };
  }
}

export function partNumber(word: number): number {
  return word >>> (32 - PART_BITS);
}

/** Where to look for a word first, and then on from there, until a place is free. */
export function firstPlace(words: Int32Array, word: number): number {
  const fraction = ((word << PART_BITS) >>> 0) / 2 ** 32;
  return Math.floor(fraction * placesIn(words)) * ENTRY_WORDS;
}

export function nextPlace(words: Int32Array, start: number): number {
  const next = start + ENTRY_WORDS;
  return next === words.length ? 0 : next;
}

function placesIn(words: Int32Array): number {
  return words.length / ENTRY_WORDS;
}

function freePlace(words: Int32Array, word: number): number {
  let start = firstPlace(words, word);
  while (words[start + STATE] !== 0) start = nextPlace(words, start);
  return start;
}

function grown({ words }: Part, places: number): Part {
  const more = new Part(places);
  for (let start = 0; start < words.length; start += ENTRY_WORDS) {
    if (words[start + STATE] === 0) continue;
    more.words.set(words.subarray(start, start + ENTRY_WORDS), freePlace(more.words, words[start] as number));
  }
  return more;
}
