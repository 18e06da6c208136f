import type { Scope } from "@dbdepot/contract/scopes";
import type { DoorKey } from "../keys/key.ts";
import type { SecretHash } from "../keys/secret.ts";
import type { KeyPlace, KeyUses, KnownKey } from "../keys/store.ts";
import { type Ends, EndsList } from "./ends.ts";
import { ENTRY_WORDS, EntryTable, firstPlace, nextPlace, type Part, partNumber, STATE, TAKEN } from "./entry-table.ts";
import { putUuid, readWord, uuidAt } from "./hex-words.ts";
import { Texts } from "./texts.ts";

/**
 * An entry: the hash, whether it is revoked or ends, where its organization and its terms stand among the texts, when it
 * was last used, in seconds (0 when that was taken away to be stored), and the key's id.
 */
const HASH_WORDS = 8;
const ORGANIZATION = 9;
const TERMS = 10;
const USED = 11;
const ID = 12;

/** Bits of the state. The rest of it is the number of its ends, where it has any. */
const REVOKED = 2;
const ENDS = 4;
const ENDS_SHIFT = 3;

const NOBODYS = -1;
const NONE = -1;
const BETWEEN = " ";
/** So many entries are looked through for uses at a time: 1 ms. */
const SEARCHED_MAX = 1 << 16;

/** What many keys have in common. */
interface Terms {
  scopes: readonly Scope[];
  cidrs: readonly string[];
}

/** What the door asks of a key. Its id is put together only when it is asked for: where every request has another key, that is seldom. */
class Entry implements DoorKey, KeyPlace {
  readonly organizationId: string | null;
  readonly scopes: readonly Scope[];
  readonly cidrs: readonly string[];
  readonly expires: Date | null;
  readonly revoked: boolean;
  readonly #words: Int32Array;
  readonly #start: number;
  readonly #isUsed: Uint8Array;

  constructor(said: Omit<DoorKey, "id"> & { revoked: boolean }, words: Int32Array, start: number, isUsed: Uint8Array) {
    this.organizationId = said.organizationId;
    this.scopes = said.scopes;
    this.cidrs = said.cidrs;
    this.expires = said.expires;
    this.revoked = said.revoked;
    this.#words = words;
    this.#start = start;
    this.#isUsed = isUsed;
  }

  get id(): string {
    return uuidAt(this.#words, this.#start + ID);
  }

  get organizationNumber(): number {
    return this.#words[this.#start + ORGANIZATION] as number;
  }

  /** Should the table have grown since the key was found, this use is not noted; the next one will be. */
  noteUse(usedMs: number): void {
    this.#words[this.#start + USED] = Math.floor(usedMs / 1000);
    this.#isUsed[partNumber(this.#words[this.#start] as number)] = 1;
  }
}

/**
 * Every secret of every key, by its hash. Keys' ids are UUIDs in lower case, as ids.ts makes them. Nothing is ever taken
 * out: a key that is revoked stays known.
 */
export class KeyTable {
  readonly #entries = new EntryTable();
  readonly #organizations: Texts;
  readonly #termsTexts = new Texts();
  readonly #terms: Terms[] = [];
  /** The key's end and the secret's, of those that have one. */
  readonly #ends = new EndsList();
  /** Which parts have uses to be taken. */
  readonly #isUsed = new Uint8Array(this.#entries.parts.length);
  /** Where the search for uses goes on. */
  #part = 0;
  #start = 0;

  /** The texts may be shared: who has the same ones compares them at a glance. */
  constructor(organizations = new Texts()) {
    this.#organizations = organizations;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Makes room for so many secrets at once. */
  reserve(secrets: number): void {
    this.#entries.reserve(secrets);
  }

  get(hash: SecretHash): KnownKey | undefined {
    const { words } = this.#entries.partOf(readWord(hash, 0));
    const start = find(words, hash);
    return start === NONE ? undefined : this.#read(words, start);
  }

  #read(words: Int32Array, start: number): KnownKey {
    const organization = words[start + ORGANIZATION] as number;
    const { scopes, cidrs } = this.#terms[words[start + TERMS] as number] as Terms;
    const state = words[start + STATE] as number;
    const ends = (state & ENDS) === 0 ? undefined : this.#ends.at(state >>> ENDS_SHIFT);
    const said = {
      organizationId: organization === NOBODYS ? null : this.#organizations.at(organization),
      scopes,
      cidrs,
      expires: ends?.key ?? null,
      revoked: (state & REVOKED) !== 0,
    };
    const key = new Entry(said, words, start, this.#isUsed);
    return { key, secret: { expires: ends?.secret ?? null }, place: key };
  }

  /** At most so many, and each once; none only when there are none. Goes on where it ended, so that all have their turn. */
  takeUses(limit: number): KeyUses {
    const taken: [string, number][] = [];
    let searched = 0;
    while (taken.length < limit && (taken.length === 0 || searched < SEARCHED_MAX) && this.#goToUses()) {
      const { words } = this.#entries.parts[this.#part] as Part;
      for (; this.#start < words.length && taken.length < limit; this.#start += ENTRY_WORDS) {
        const used = words[this.#start + USED] as number;
        searched += 1;
        if (used === 0) continue;
        words[this.#start + USED] = 0;
        taken.push([uuidAt(words, this.#start + ID), used * 1000]);
      }
      if (this.#start >= words.length) this.#start = 0;
    }
    return taken;
  }

  /** To a part that has uses, unless the search is in the midst of one. */
  #goToUses(): boolean {
    if (this.#start > 0) return true;
    for (let parts = 0; parts < this.#isUsed.length; parts += 1) {
      this.#part = (this.#part + 1) % this.#isUsed.length;
      const isUsed = this.#isUsed[this.#part] === 1;
      // Before the search: what is used meanwhile is found by the next one.
      this.#isUsed[this.#part] = 0;
      if (isUsed) return true;
    }
    return false;
  }

  /** Adds it, or puts it in the place of what was known. */
  put(hash: SecretHash, known: KnownKey): void {
    const { words } = this.#entries.partOf(readWord(hash, 0));
    const start = find(words, hash);
    if (start === NONE) this.#append(hash, known);
    else this.#write(words, start, known);
  }

  /** Adds it unless it is known. */
  add(hash: SecretHash, known: KnownKey): void {
    if (find(this.#entries.partOf(readWord(hash, 0)).words, hash) === NONE) this.#append(hash, known);
  }

  #append(hash: SecretHash, known: KnownKey): void {
    const first = readWord(hash, 0);
    const { part, start } = this.#entries.add(first);
    for (let word = 1; word < HASH_WORDS; word += 1) part.words[start + word] = readWord(hash, word * 8);
    this.#write(part.words, start, known);
    // The part may have grown, and the search for uses have lost its way in it.
    this.#isUsed[partNumber(first)] = 1;
  }

  #write(words: Int32Array, start: number, { key, secret }: KnownKey): void {
    const { organizationId } = key;
    words[start + ORGANIZATION] = organizationId === null ? NOBODYS : this.#organizations.numberOf(organizationId);
    words[start + TERMS] = this.#termsNumber(key);
    putUuid(words, start + ID, key.id);
    const ends = this.#endsState(words[start + STATE] as number, { key: key.expires, secret: secret.expires });
    words[start + STATE] = TAKEN | (key.revoked ? REVOKED : 0) | ends;
  }

  /** What the state says of its ends, the ones that it had before overwritten. */
  #endsState(state: number, ends: Ends): number {
    if ((state & ENDS) !== 0) {
      this.#ends.put(state >>> ENDS_SHIFT, ends);
      return state & ~(TAKEN | REVOKED);
    }
    return ends.key === null && ends.secret === null ? 0 : ENDS | (this.#ends.add(ends) << ENDS_SHIFT);
  }

  #termsNumber({ scopes, cidrs }: Terms): number {
    const number = this.#termsTexts.numberOf(`${scopes.join(BETWEEN)}|${cidrs.join(BETWEEN)}`);
    this.#terms[number] ??= { scopes: [...scopes], cidrs: [...cidrs] };
    return number;
  }
}

/** Every bit of the hash counts: what is alike in a part of it is another secret. */
function find(words: Int32Array, hash: SecretHash): number {
  const first = readWord(hash, 0);
  let start = firstPlace(words, first);
  while (words[start + STATE] !== 0) {
    if (words[start] === first && isOf(words, start, hash)) return start;
    start = nextPlace(words, start);
  }
  return NONE;
}

function isOf(words: Int32Array, start: number, hash: SecretHash): boolean {
  for (let word = 1; word < HASH_WORDS; word += 1) {
    if (words[start + word] !== readWord(hash, word * 8)) return false;
  }
  return true;
}
