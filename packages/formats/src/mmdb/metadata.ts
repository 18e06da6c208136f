/**
 * Decodes values of a MaxMind DB: its metadata section, which is one map, and the records of its data section.
 * https://maxmind.github.io/MaxMind-DB/
 */

export type MmdbValue = string | number | bigint | boolean | Buffer | MmdbValue[] | { [key: string]: MmdbValue };

export const DATA_TYPES = {
  pointer: 1,
  string: 2,
  double: 3,
  bytes: 4,
  uint16: 5,
  uint32: 6,
  map: 7,
  int32: 8,
  uint64: 9,
  uint128: 10,
  array: 11,
  boolean: 14,
  float: 15,
};
/** The control byte has no room for higher types. A second byte says how much higher they are. */
export const LAST_SHORT_TYPE = 7;
/** The metadata of real files has three levels, their records a few more. */
const MAX_DEPTH = 16;
/**
 * Pointers can make a few hundred bytes decode to billions of values, so the work is limited too. Real metadata has about
 * 30 values, and readers look for the whole section in the last 128 KiB of a file.
 */
const MAX_VALUES = 10_000;
const MAX_DECODED_BYTES = 256 * 1024;

/** Returns some bytes of the section that is decoded. Throws if the section ends before. */
export type TakeBytes = (at: number, size: number) => Buffer;

/** Throws a RangeError if the bytes are not a valid value, or decode to more than any real metadata. */
export function decodeMmdbValue(bytes: Buffer): MmdbValue {
  return decodeMmdbValueAt(0, (at, size) => {
    if (at + size > bytes.length) throw new RangeError("it is truncated");
    return bytes.subarray(at, at + size);
  });
}

/** Decodes the value at an offset of a section, with the same limits. */
export function decodeMmdbValueAt(at: number, take: TakeBytes): MmdbValue {
  return new Decoder(at, take).value(0);
}

class Decoder {
  readonly #takeBytes: TakeBytes;
  #at: number;
  #values = 0;
  /** Bytes reached through several pointers count several times. */
  #decodedBytes = 0;

  constructor(at: number, take: TakeBytes) {
    this.#at = at;
    this.#takeBytes = take;
  }

  value(depth: number): MmdbValue {
    if (depth > MAX_DEPTH) throw new RangeError("it is nested too deeply");
    this.#values += 1;
    if (this.#values > MAX_VALUES) throw new RangeError(`it has more than ${MAX_VALUES} values`);
    const control = this.#uint(1);
    const type = control >> 5 || this.#uint(1) + LAST_SHORT_TYPE;
    if (type === DATA_TYPES.pointer) return this.#pointed(control, depth);
    const size = this.#size(control & 0x1f);
    switch (type) {
      case DATA_TYPES.string:
        return this.#take(size).toString("utf8");
      case DATA_TYPES.double:
        return this.#double(size);
      case DATA_TYPES.bytes:
        return this.#take(size);
      case DATA_TYPES.uint16:
      case DATA_TYPES.uint32:
        return this.#uint(size);
      case DATA_TYPES.map:
        return this.#map(size, depth);
      case DATA_TYPES.int32:
        return this.#int32(size);
      case DATA_TYPES.uint64:
      case DATA_TYPES.uint128:
        return this.#bigUint(size);
      case DATA_TYPES.array:
        return this.#array(size, depth);
      case DATA_TYPES.boolean:
        return size === 1;
      case DATA_TYPES.float:
        return this.#take(4).readFloatBE();
      default:
        throw new RangeError(`it has a value of unknown type ${type}`);
    }
  }

  #size(low: number): number {
    if (low < 29) return low;
    if (low === 29) return 29 + this.#uint(1);
    return low === 30 ? 285 + this.#uint(2) : 65_821 + this.#uint(3);
  }

  #array(size: number, depth: number): MmdbValue {
    const values: MmdbValue[] = [];
    for (let i = 0; i < size; i += 1) values.push(this.value(depth + 1));
    return values;
  }

  #map(size: number, depth: number): MmdbValue {
    const entries: [string, MmdbValue][] = [];
    for (let i = 0; i < size; i += 1) {
      const key = this.value(depth + 1);
      if (typeof key !== "string") throw new RangeError("a map key is not a string");
      entries.push([key, this.value(depth + 1)]);
    }
    return Object.fromEntries(entries);
  }

  /** Offsets count from the start of the section. */
  #pointed(control: number, depth: number): MmdbValue {
    const kind = (control >> 3) & 3;
    const low = control & 7;
    const offset =
      kind === 3
        ? this.#uint(4)
        : low * 2 ** (8 * (kind + 1)) + this.#uint(kind + 1) + ([0, 2048, 526_336][kind] as number);
    const back = this.#at;
    this.#at = offset;
    const value = this.value(depth + 1);
    this.#at = back;
    return value;
  }

  #double(size: number): number {
    if (size !== 8) throw new RangeError("a double does not have 8 bytes");
    return this.#take(8).readDoubleBE();
  }

  #int32(size: number): number {
    return this.#uint(size) | 0;
  }

  #uint(size: number): number {
    if (size > 4) throw new RangeError("an integer has too many bytes");
    return size === 0 ? 0 : this.#take(size).readUIntBE(0, size);
  }

  #bigUint(size: number): bigint {
    if (size > 16) throw new RangeError("an integer has too many bytes");
    return size === 0 ? 0n : BigInt(`0x${this.#take(size).toString("hex")}`);
  }

  #take(size: number): Buffer {
    this.#decodedBytes += size;
    if (this.#decodedBytes > MAX_DECODED_BYTES) {
      throw new RangeError(`it decodes to more than ${MAX_DECODED_BYTES} bytes`);
    }
    const taken = this.#takeBytes(this.#at, size);
    this.#at += size;
    return taken;
  }
}
