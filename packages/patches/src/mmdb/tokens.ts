import { DATA_TYPES, LAST_SHORT_TYPE } from "@dbdepot/formats/mmdb/metadata";
import { POINTER_BASES } from "@dbdepot/formats/mmdb/pointers";

/** The first size that takes one, two and three more bytes. */
const LONG_SIZES = [29, 285, 65_821];
/** Marks a token that is not a pointer. */
export const NO_TARGET = -1;

/**
 * Reads the tokens of encoded values: scalars, pointers, and the headers of maps and arrays. The scanner itself holds the
 * current token, because objects for millions of tokens would take most of the time. Throws a RangeError if bytes are missing.
 */
export class TokenScanner {
  readonly bytes: Uint8Array;
  readonly #hasBarePointers: boolean;
  /** The start and the end of the current token. */
  start = 0;
  end = 0;
  /** The target of the pointer, or `NO_TARGET`. In a patch, pointers are bare: their targets are elsewhere. */
  target = NO_TARGET;
  type = 0;
  /** The position at which the content of the current token begins. */
  payload = 0;
  /** How many values the current map or array contains, keys included. */
  children = 0;
  /** How many tokens the current value still has, those of nested values included, as far as is known. */
  pending = 0;

  constructor(bytes: Uint8Array, { hasBarePointers = false } = {}) {
    this.bytes = bytes;
    this.#hasBarePointers = hasBarePointers;
  }

  /** Continues with the value at an offset. */
  startValue(at: number): void {
    this.end = at;
    this.pending = 1;
  }

  /** Moves to the next token. Returns false at the end of the value. */
  next(): boolean {
    if (this.pending === 0) return false;
    this.pending--;
    this.start = this.end;
    const control = this.#byte();
    let type = control >> 5;
    this.target = NO_TARGET;
    this.children = 0;
    if (type === DATA_TYPES.pointer) {
      this.type = type;
      this.payload = this.end;
      this.target = this.#target(control);
      return true;
    }
    if (type === 0) type = LAST_SHORT_TYPE + this.#byte();
    this.type = type;
    const low = control & 31;
    const size = low < 29 ? low : this.#uint(low - 28, 0) + (LONG_SIZES[low - 29] as number);
    this.payload = this.end;
    if (type === DATA_TYPES.map) this.children = size * 2;
    else if (type === DATA_TYPES.array) this.children = size;
    else if (type !== DATA_TYPES.boolean) this.end += size;
    this.pending += this.children;
    if (this.end > this.bytes.length) throw new RangeError("a value is truncated");
    return true;
  }

  #target(control: number): number {
    if (this.#hasBarePointers) return 0;
    const kind = (control >> 3) & 3;
    return this.#uint(kind + 1, kind === 3 ? 0 : control & 7) + (POINTER_BASES[kind] as number);
  }

  #uint(length: number, high: number): number {
    let value = high;
    for (let i = 0; i < length; i++) value = value * 256 + this.#byte();
    return value;
  }

  #byte(): number {
    const byte = this.bytes[this.end++];
    if (byte === undefined) throw new RangeError("a value is truncated");
    return byte;
  }
}
