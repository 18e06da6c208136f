/** Keeps the last bytes of a stream in a buffer of fixed size. */
export class Tail {
  readonly #bytes: Buffer;
  #lengthBytes = 0;

  constructor(sizeBytes: number) {
    this.#bytes = Buffer.alloc(sizeBytes);
  }

  update(bytes: Buffer): void {
    const last = bytes.subarray(-this.#bytes.length);
    const kept = Math.min(this.#lengthBytes, this.#bytes.length - last.length);
    this.#bytes.copyWithin(0, this.#lengthBytes - kept, this.#lengthBytes);
    last.copy(this.#bytes, kept);
    this.#lengthBytes = kept + last.length;
  }

  view(): Buffer {
    return this.#bytes.subarray(0, this.#lengthBytes);
  }
}
