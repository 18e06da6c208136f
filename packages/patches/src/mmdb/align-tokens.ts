import { DATA_TYPES } from "@dbdepot/formats/mmdb/metadata";
import { NO_TARGET, TokenScanner } from "./tokens.ts";
import { EDITS } from "./value-script.ts";

/** Longer values are only compared from both ends. */
const MAX_TABLE = 1 << 14;

/** The tokens of one value at a time. */
export class TokenList {
  readonly #scanner: TokenScanner;
  readonly #data: Buffer;
  /** Four words for each token: start, payload, end, and target plus one. */
  #words = new Uint32Array(1024);
  #length = 0;

  constructor(data: Buffer) {
    this.#data = data;
    this.#scanner = new TokenScanner(data);
  }

  read(offset: number): void {
    const scanner = this.#scanner;
    scanner.startValue(offset);
    this.#length = 0;
    while (scanner.next()) {
      const at = this.#length++ * 4;
      if (at === this.#words.length) {
        const larger = new Uint32Array(this.#words.length * 2);
        larger.set(this.#words);
        this.#words = larger;
      }
      this.#words[at] = scanner.start;
      this.#words[at + 1] = scanner.payload;
      this.#words[at + 2] = scanner.end;
      this.#words[at + 3] = scanner.target + 1;
    }
  }

  get length(): number {
    return this.#length;
  }

  get endOfValue(): number {
    return this.#scanner.end;
  }

  start(token: number): number {
    return this.#words[token * 4] as number;
  }

  target(token: number): number {
    return (this.#words[token * 4 + 3] as number) - 1;
  }

  bytes(token: number): Buffer {
    return this.#data.subarray(this.start(token), this.#words[token * 4 + 2]);
  }

  payload(token: number): Buffer {
    return this.#data.subarray(this.#words[token * 4 + 1], this.#words[token * 4 + 2]);
  }

  /** Whether two scalars or headers have the same bytes. */
  equals(token: number, other: TokenList, otherToken: number): boolean {
    const start = this.start(token);
    const otherStart = other.start(otherToken);
    const length = (this.#words[token * 4 + 2] as number) - start;
    if (length !== (other.#words[otherToken * 4 + 2] as number) - otherStart) return false;
    for (let i = 0; i < length; i++) if (this.#data[start + i] !== other.#data[otherStart + i]) return false;
    return true;
  }
}

export interface TokenEdit {
  kind: number;
  count: number;
}

/** Returns the edits that turn old tokens into new ones. The rest is kept. */
export function alignTokens(
  old: TokenList,
  fresh: TokenList,
  isSameTarget: (a: number, b: number) => boolean,
): TokenEdit[] {
  const isSame = (a: number, b: number): boolean => {
    const isPointer = old.target(a) !== NO_TARGET;
    if (isPointer !== (fresh.target(b) !== NO_TARGET)) return false;
    return isPointer ? isSameTarget(a, b) : old.equals(a, fresh, b);
  };
  const shorter = Math.min(old.length, fresh.length);
  let start = 0;
  while (start < shorter && isSame(start, start)) start++;
  if (start === old.length && start === fresh.length) return [];
  let tail = 0;
  while (tail < shorter - start && isSame(old.length - 1 - tail, fresh.length - 1 - tail)) tail++;
  const edits = new EditList();
  edits.add(EDITS.keep, start);
  let [a, b] = [start, start];
  for (const [nextA, nextB] of commonTokens(start, old.length - tail, start, fresh.length - tail, isSame)) {
    replace(nextA, nextB);
    edits.add(EDITS.keep, 1);
    [a, b] = [nextA + 1, nextB + 1];
  }
  replace(old.length - tail, fresh.length - tail);
  return edits.list;

  /** Replaces the tokens up to these. */
  function replace(endA: number, endB: number): void {
    while (a < endA && b < endB) {
      if (isDifference(old, a, fresh, b)) {
        edits.add(EDITS.difference, 1);
      } else {
        edits.add(EDITS.skip, 1);
        edits.add(EDITS.insert, 1);
      }
      a++;
      b++;
    }
    edits.add(EDITS.skip, endA - a);
    edits.add(EDITS.insert, endB - b);
  }
}

class EditList {
  readonly list: TokenEdit[] = [];

  add(kind: number, count: number): void {
    if (count === 0) return;
    const last = this.list.at(-1);
    if (last?.kind === kind) last.count += count;
    else this.list.push({ kind, count });
  }
}

/** The longest common subsequence of two ranges, or nothing if they are long. */
function commonTokens(
  startA: number,
  endA: number,
  startB: number,
  endB: number,
  isSame: (a: number, b: number) => boolean,
): [a: number, b: number][] {
  const [rows, columns] = [endA - startA, endB - startB];
  if (rows === 0 || columns === 0 || rows * columns > MAX_TABLE) return [];
  const width = columns + 1;
  const lengths = new Uint16Array((rows + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] as number;
  for (let i = rows - 1; i >= 0; i--) {
    for (let j = columns - 1; j >= 0; j--) {
      lengths[i * width + j] = isSame(startA + i, startB + j)
        ? at(i + 1, j + 1) + 1
        : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const common: [number, number][] = [];
  for (let i = 0, j = 0; i < rows && j < columns; ) {
    if (isSame(startA + i, startB + j)) common.push([startA + i++, startB + j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return common;
}

/** Whether the difference of two tokens is likely to compress better than the new one. */
function isDifference(old: TokenList, a: number, fresh: TokenList, b: number): boolean {
  if (old.target(a) !== NO_TARGET || fresh.target(b) !== NO_TARGET) return false;
  const [before, after] = [old.bytes(a), fresh.bytes(b)];
  const [from, to] = [old.payload(a), fresh.payload(b)];
  const headerBytes = before.length - from.length;
  if (from.length === 0 || from.length !== to.length || after.length - to.length !== headerBytes) return false;
  if (before.compare(after, 0, headerBytes, 0, headerBytes) !== 0) return false;
  const type = (before[0] as number) >> 5;
  if (type !== DATA_TYPES.string && type !== DATA_TYPES.bytes) return true;
  let equal = 0;
  for (let i = 0; i < to.length; i++) if (from[i] === to[i]) equal++;
  return equal * 2 >= to.length;
}
