import type { ByteList } from "@dbdepot/formats/mmdb/byte-list";
import { PatchError } from "./patch-error.ts";

/** Numbers below 2^35 take up to five bytes, the lowest seven bits first. */
export const VARINT_MAX_BYTES = 5;

export function appendVarint(out: ByteList, value: number): void {
  let rest = value;
  while (rest >= 128) {
    out.pushByte((rest % 128) | 128);
    rest = Math.floor(rest / 128);
  }
  out.pushByte(rest);
}

/** Small negative numbers stay short. */
export function appendSigned(out: ByteList, value: number): void {
  appendVarint(out, zigzag(value));
}

export function zigzag(value: number): number {
  return value >= 0 ? value * 2 : -value * 2 - 1;
}

/** The reverse of `zigzag`. */
export function unzigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

/** Reads the parts of a patch from memory. Everything that is missing or too long makes the patch invalid. */
export class PartReader {
  readonly bytes: Buffer;
  at = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  byte(): number {
    const byte = this.bytes[this.at++];
    if (byte === undefined) throw new PatchError("invalid", "the patch is truncated");
    return byte;
  }

  varint(): number {
    let value = 0;
    let unit = 1;
    for (let i = 0; i < VARINT_MAX_BYTES; i++) {
      const byte = this.byte();
      value += (byte & 127) * unit;
      if (byte < 128) return value;
      unit *= 128;
    }
    throw new PatchError("invalid", "the patch contains a number that is too large");
  }

  signed(): number {
    return unzigzag(this.varint());
  }

  take(length: number): Buffer {
    if (length > this.bytes.length - this.at) throw new PatchError("invalid", "the patch is truncated");
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
}
