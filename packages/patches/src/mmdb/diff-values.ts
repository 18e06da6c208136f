import { ByteList } from "@dbdepot/formats/mmdb/byte-list";
import { wordAt } from "@dbdepot/formats/mmdb/uint32-list";
import { SectionWriter } from "../sections.ts";
import { appendSigned, appendVarint, zigzag } from "../varint.ts";
import { alignTokens, TokenList } from "./align-tokens.ts";
import type { MappedFile } from "./match-files.ts";
import type { Projection } from "./projection.ts";
import { NO_TARGET } from "./tokens.ts";
import { BARE_POINTER, EDITS, RUNS, VALUE_PARTS } from "./value-script.ts";

/**
 * Writes how the values of the base become those of the result, and fills in the projection as `ValueApplier` does. `known` gets
 * the number of the base's target plus one, for each target of the result.
 */
export class ValueDiffer {
  readonly #base: MappedFile;
  readonly #result: MappedFile;
  readonly #projection: Projection;
  readonly #known: Uint32Array;
  readonly #section = new SectionWriter(VALUE_PARTS);
  readonly #old: TokenList;
  readonly #new: TokenList;
  /** The scripts of the current run. */
  readonly #scripts = new ByteList(1 << 12);
  #kind = RUNS.insert;
  #runLength = 0;
  #runStart = 0;
  #runEnd = 0;
  #baseAt = 0;
  #hits = 0;

  constructor(base: MappedFile, result: MappedFile, projection: Projection, known: Uint32Array) {
    this.#base = base;
    this.#result = result;
    this.#projection = projection;
    this.#known = known;
    this.#old = new TokenList(base.data);
    this.#new = new TokenList(result.data);
  }

  /** `matches` has the offset of a value of the base for each value of the result, or -1. */
  *sections(matches: Int32Array): Generator<Buffer> {
    const { offsets } = this.#result;
    for (let value = 0; value < offsets.length; value++) {
      this.#value(matches[value] as number, wordAt(offsets, value));
      this.#section.addItems(1);
      if (!this.#section.isFull && this.#scripts.length < 1 << 18) continue;
      this.#endSection();
      yield this.#section.take();
    }
    this.#endSection();
    yield* this.#section.end();
  }

  #endSection(): void {
    this.#endRun();
    // The predictions that are left are right, which need not be said.
    this.#hits = 0;
  }

  #value(from: number, to: number): void {
    this.#new.read(to);
    if (from < 0) {
      this.#startRun(RUNS.insert, 0);
      for (let token = 0; token < this.#new.length; token++) this.#insert(token);
      return;
    }
    this.#old.read(from);
    const script = alignTokens(this.#old, this.#new, (a, b) => this.#isSameTarget(a, b));
    const isCopy = script.length === 0;
    this.#startRun(isCopy ? RUNS.copy : RUNS.change, from);
    this.#runEnd = this.#old.endOfValue;
    this.#place(from, to);
    let [a, b] = [0, 0];
    for (const { kind, count } of script) {
      appendVarint(this.#scripts, count * 4 + kind);
      for (let i = 0; i < count; i++) {
        if (kind === EDITS.keep) this.#keep(a++, b++);
        else if (kind === EDITS.difference) this.#difference(a++, b++);
        else if (kind === EDITS.skip) a++;
        else this.#insert(b++);
      }
    }
    if (!isCopy) appendVarint(this.#scripts, 0);
    while (a < this.#old.length) this.#keep(a++, b++);
  }

  #startRun(kind: number, from: number): void {
    const continues = kind === this.#kind && (kind === RUNS.insert || from === this.#runEnd);
    if (this.#runLength === 0 || !continues) {
      this.#endRun();
      this.#kind = kind;
      this.#runStart = from;
    }
    this.#runLength++;
  }

  #endRun(): void {
    if (this.#runLength === 0) return;
    const script = this.#section.parts[0] as ByteList;
    appendVarint(script, this.#runLength * 4 + this.#kind);
    if (this.#kind !== RUNS.insert) {
      appendSigned(script, this.#runStart - this.#baseAt);
      this.#baseAt = this.#runEnd;
    }
    script.pushList(this.#scripts);
    this.#scripts.clear();
    this.#runLength = 0;
  }

  #keep(a: number, b: number): void {
    this.#place(this.#old.start(a), this.#new.start(b));
    const target = this.#old.target(a);
    if (target === NO_TARGET) return;
    const actual = this.#new.target(b);
    if (this.#projection.of(target) === actual) {
      this.#hits++;
      return;
    }
    appendVarint(this.#section.parts[3] as ByteList, this.#hits);
    this.#hits = 0;
    this.#explicitTarget(actual, this.#new.start(b));
    this.#place(target, actual);
  }

  #difference(a: number, b: number): void {
    this.#place(this.#old.start(a), this.#new.start(b));
    const bytes = this.#section.parts[1] as ByteList;
    const [old, fresh] = [this.#old.payload(a), this.#new.payload(b)];
    for (let i = 0; i < fresh.length; i++) bytes.pushByte(((fresh[i] as number) - (old[i] as number)) & 0xff);
  }

  #insert(token: number): void {
    const bytes = this.#section.parts[1] as ByteList;
    const target = this.#new.target(token);
    if (target === NO_TARGET) {
      bytes.pushBytes(this.#new.bytes(token));
    } else {
      bytes.pushByte(BARE_POINTER);
      this.#explicitTarget(target, this.#new.start(token));
    }
  }

  #explicitTarget(target: number, from: number): void {
    const out = this.#section.parts[2] as ByteList;
    const number = (this.#known[this.#result.targets.numberOf(target)] ?? 0) - 1;
    if (number >= 0 && this.#projection.at(number) === target) {
      appendVarint(out, number * 2);
    } else {
      appendVarint(out, zigzag(from - target) * 2 + 1);
    }
  }

  #place(from: number, to: number): void {
    this.#projection.set(from, to);
    const number = this.#base.targets.numberOf(from);
    const resultNumber = this.#result.targets.numberOf(to);
    if (number !== -1 && resultNumber !== -1) this.#known[resultNumber] = number + 1;
  }

  /** Whether two pointers mean the same, or will be predicted. */
  #isSameTarget(a: number, b: number): boolean {
    const from = this.#old.target(a);
    const to = this.#new.target(b);
    if (this.#projection.of(from) === to) return true;
    // Both may point into the value itself, which is not in the projection yet.
    const offset = from - this.#old.start(0);
    if (offset >= 0 && offset === to - this.#new.start(0)) return true;
    return this.#base.contents.isSame(from, this.#result.contents, to);
  }
}
