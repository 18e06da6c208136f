/** A growing array of bytes. */
export class ByteList {
  #bytes: Buffer;
  #length = 0;

  constructor(capacityBytes: number) {
    this.#bytes = Buffer.allocUnsafe(capacityBytes);
  }

  get length(): number {
    return this.#length;
  }

  /** The underlying array, for loops that would create millions of views. Valid until the next change. */
  get storage(): Uint8Array {
    return this.#bytes;
  }

  /** A view of the bytes, valid until the next change. */
  view(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  pushByte(byte: number): void {
    const start = this.#grow(1);
    this.#bytes[start] = byte;
  }

  /** Appends an integer of `size` bytes, big-endian. */
  pushUint(value: number, size: number): void {
    const start = this.#grow(size);
    if (size > 0) this.#bytes.writeUIntBE(value, start, size);
  }

  pushDouble(value: number): void {
    const start = this.#grow(8);
    this.#bytes.writeDoubleBE(value, start);
  }

  pushFloat(value: number): void {
    const start = this.#grow(4);
    this.#bytes.writeFloatBE(value, start);
  }

  pushText(text: string, sizeBytes: number): void {
    const start = this.#grow(sizeBytes);
    this.#bytes.write(text, start, sizeBytes, "utf8");
  }

  pushBytes(bytes: Uint8Array): void {
    const start = this.#grow(bytes.length);
    this.#bytes.set(bytes, start);
  }

  pushList(list: ByteList): void {
    const start = this.#grow(list.length);
    list.#bytes.copy(this.#bytes, start, 0, list.length);
  }

  /** Makes room for `size` more bytes and returns where they start. */
  #grow(size: number): number {
    const start = this.#length;
    this.#length += size;
    if (this.#length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#length, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, start);
      this.#bytes = larger;
    }
    return start;
  }
}
