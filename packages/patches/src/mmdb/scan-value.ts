import { DATA_TYPES, LAST_SHORT_TYPE } from "@dbdepot/formats/mmdb/metadata";
import { POINTER_BASES } from "@dbdepot/formats/mmdb/pointers";

/** Real records have a few levels. */
const MAX_DEPTH = 32;
/** The first size that takes one, two and three more bytes. */
const LONG_SIZES = [29, 285, 65_821];

/** The control byte of a pointer without its target, as it appears in a patch. */
export const BARE_POINTER = DATA_TYPES.pointer << 5;

/** Gets a value as runs of bytes, and the targets of the pointers between them. */
export interface ValueVisitor {
  bytes(from: number, to: number): void;
  /** The target is undefined if the pointer is bare. */
  pointer(target: number | undefined): void;
}

/**
 * Splits encoded values at their pointers, without following them. Throws a RangeError if a value is not complete, has an
 * unknown type or is nested too deeply.
 */
export class ValueScanner {
  readonly #bytes: Uint8Array;
  readonly #visitor: ValueVisitor;
  readonly #hasBarePointers: boolean;
  #at = 0;
  /** Where the bytes begin that the visitor has not seen yet. */
  #runStart = 0;

  constructor(bytes: Uint8Array, visitor: ValueVisitor, { hasBarePointers = false } = {}) {
    this.#bytes = bytes;
    this.#visitor = visitor;
    this.#hasBarePointers = hasBarePointers;
  }

  /** Returns where the value at an offset ends. */
  scan(at: number): number {
    this.#at = at;
    this.#runStart = at;
    this.#value(0);
    this.#endRun(this.#at);
    return this.#at;
  }

  #value(depth: number): void {
    if (depth > MAX_DEPTH) throw new RangeError("a value is nested too deeply");
    const start = this.#at;
    const control = this.#byte();
    let type = control >> 5;
    if (type === DATA_TYPES.pointer) {
      this.#endRun(start);
      this.#visitor.pointer(this.#target(control));
      this.#runStart = this.#at;
      return;
    }
    if (type === 0) type = LAST_SHORT_TYPE + this.#byte();
    const size = this.#size(control & 31);
    if (type === DATA_TYPES.map || type === DATA_TYPES.array) {
      const parts = type === DATA_TYPES.map ? size * 2 : size;
      for (let i = 0; i < parts; i++) this.#value(depth + 1);
    } else if (type !== DATA_TYPES.boolean) {
      this.#at += size;
      if (this.#at > this.#bytes.length) throw new RangeError("a value is truncated");
    }
  }

  #target(control: number): number | undefined {
    if (this.#hasBarePointers) return undefined;
    const kind = (control >> 3) & 3;
    return this.#uint(kind + 1, kind === 3 ? 0 : control & 7) + (POINTER_BASES[kind] as number);
  }

  #size(low: number): number {
    if (low < 29) return low;
    return this.#uint(low - 28, 0) + (LONG_SIZES[low - 29] as number);
  }

  #uint(length: number, high: number): number {
    let value = high;
    for (let i = 0; i < length; i++) value = value * 256 + this.#byte();
    return value;
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new RangeError("a value is truncated");
    return byte;
  }

  #endRun(end: number): void {
    if (end > this.#runStart) this.#visitor.bytes(this.#runStart, end);
  }
}
