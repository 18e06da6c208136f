import { ByteList } from "@dbdepot/formats/mmdb/byte-list";
import { appendPointer } from "@dbdepot/formats/mmdb/pointers";
import { PatchError } from "../patch-error.ts";
import { type PartReader, unzigzag } from "../varint.ts";
import { type Projection, UNKNOWN } from "./projection.ts";
import { NO_TARGET, TokenScanner } from "./tokens.ts";
import { EDITS, RUNS } from "./value-script.ts";

const CHUNK_BYTES = 1 << 18;

/** Creates the data section of the result, and fills in the projection on the way. */
export class ValueApplier {
  readonly #base: Buffer;
  readonly #scanner: TokenScanner;
  readonly #projection: Projection;
  readonly #maxBytes: number;
  readonly #out = new ByteList(2 * CHUNK_BYTES);
  /** The position at which the content of `#out` begins. */
  #outStart = 0;
  /** The end of the last value of the base that was used. */
  #baseAt = 0;
  #script!: PartReader;
  #targets!: PartReader;
  #misses!: PartReader;
  #newBytes!: PartReader;
  #newScanner!: TokenScanner;
  /** How many more predictions are right. */
  #hits = 0;

  constructor(base: Buffer, projection: Projection, maxBytes: number) {
    this.#base = base;
    this.#scanner = new TokenScanner(base);
    this.#projection = projection;
    this.#maxBytes = maxBytes;
  }

  /** The length of the data section so far. */
  get length(): number {
    return this.#outStart + this.#out.length;
  }

  /** Yields the bytes in chunks, each of which is overwritten by the next one. What follows the last one is in `rest`. */
  *section(items: number, parts: readonly PartReader[]): Generator<Buffer> {
    const [script, newBytes, targets, misses] = parts as [PartReader, PartReader, PartReader, PartReader];
    this.#script = script;
    this.#newBytes = newBytes;
    this.#newScanner = new TokenScanner(newBytes.bytes, { hasBarePointers: true });
    this.#targets = targets;
    this.#misses = misses;
    this.#countHits();
    for (let left = items; left > 0; ) {
      const run = script.varint();
      const kind = run % 4;
      const length = (run - kind) / 4;
      if (length === 0 || length > left)
        throw new PatchError("invalid", "the patch has a run of no or too many values");
      left -= length;
      if (kind !== RUNS.insert) this.#baseAt += script.signed();
      for (let value = 0; value < length; value++) {
        this.#value(kind);
        if (this.#out.length < CHUNK_BYTES) continue;
        yield this.rest();
        this.#outStart += this.#out.length;
        this.#out.clear();
      }
    }
  }

  rest(): Buffer {
    return this.#out.view();
  }

  #value(kind: number): void {
    if (kind === RUNS.insert) {
      this.#insertValue();
    } else {
      if (this.#baseAt < 0 || this.#baseAt >= this.#base.length) throw missing();
      this.#scanner.startValue(this.#baseAt);
      this.#projection.set(this.#baseAt, this.length);
      if (kind === RUNS.copy) this.#keep(Number.POSITIVE_INFINITY);
      else if (kind === RUNS.change) this.#change();
      else throw new PatchError("invalid", "the patch has a run of an unknown kind");
      this.#baseAt = this.#scanner.end;
    }
    if (this.length > this.#maxBytes) throw new PatchError("invalid", "the patch creates more data than announced");
  }

  #change(): void {
    for (;;) {
      const edit = this.#script.varint();
      if (edit === 0) break;
      const kind = edit % 4;
      const count = (edit - kind) / 4;
      if (count === 0) throw new PatchError("invalid", "the patch contains an edit of no tokens");
      if (kind === EDITS.keep) this.#keep(count);
      else if (kind === EDITS.insert) for (let i = 0; i < count; i++) this.#insertToken();
      else if (kind === EDITS.skip) for (let i = 0; i < count; i++) this.#next();
      else for (let i = 0; i < count; i++) this.#addDifference();
    }
    this.#keep(Number.POSITIVE_INFINITY);
  }

  /** Copies tokens of the base, up to the end of the value. */
  #keep(count: number): void {
    const scanner = this.#scanner;
    const projection = this.#projection;
    let runStart = scanner.end;
    // The offset of a token in the result is its offset in the base plus this, as long as no pointer comes between.
    let shift = this.length - runStart;
    for (let i = 0; i < count && this.#read(); i++) {
      projection.set(scanner.start, scanner.start + shift);
      if (scanner.target === NO_TARGET) continue;
      this.#out.pushBytes(this.#base.subarray(runStart, scanner.start));
      appendPointer(this.#out, this.#project(scanner.target));
      runStart = scanner.end;
      shift = this.length - runStart;
    }
    this.#out.pushBytes(this.#base.subarray(runStart, scanner.end));
  }

  #addDifference(): void {
    this.#next();
    const { start, payload, end } = this.#scanner;
    this.#projection.set(start, this.length);
    this.#out.pushBytes(this.#base.subarray(start, payload));
    const difference = this.#newBytes.take(end - payload);
    for (let i = 0; i < difference.length; i++) {
      this.#out.pushByte(((this.#base[payload + i] as number) + (difference[i] as number)) & 0xff);
    }
  }

  #insertValue(): void {
    this.#newScanner.startValue(this.#newBytes.at);
    while (this.#newScanner.pending > 0) this.#insertToken(true);
  }

  #insertToken(isInValue = false): void {
    const scanner = this.#newScanner;
    if (!isInValue) scanner.startValue(this.#newBytes.at);
    try {
      scanner.next();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new PatchError("invalid", `the patch contains a broken value: ${error.message}`);
    }
    this.#newBytes.at = scanner.end;
    if (scanner.target === NO_TARGET) this.#out.pushBytes(scanner.bytes.subarray(scanner.start, scanner.end));
    else appendPointer(this.#out, this.#explicitTarget());
  }

  #project(target: number): number {
    if (this.#hits > 0) {
      this.#hits--;
      const place = this.#projection.of(target);
      if (place === UNKNOWN) throw missing();
      return place;
    }
    const place = this.#explicitTarget();
    this.#projection.set(target, place);
    this.#countHits();
    return place;
  }

  #explicitTarget(): number {
    const number = this.#targets.varint();
    const isDistance = number % 2 === 1;
    const half = (number - (isDistance ? 1 : 0)) / 2;
    const target = isDistance ? this.length - unzigzag(half) : this.#projection.at(half);
    if (target < 0 || target > this.#maxBytes) throw missing();
    return target;
  }

  #countHits(): void {
    this.#hits = this.#misses.isAtEnd ? Number.POSITIVE_INFINITY : this.#misses.varint();
  }

  #next(): void {
    if (!this.#read()) throw missing();
  }

  #read(): boolean {
    try {
      return this.#scanner.next();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw missing();
    }
  }
}

function missing(): PatchError {
  return new PatchError("invalid", "the patch refers to a missing value");
}
