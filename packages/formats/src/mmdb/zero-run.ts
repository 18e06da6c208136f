/** Finds the first run of at least `lengthBytes` zero bytes in a stream, and where it ends. */
export class ZeroRun {
  readonly #needle: Buffer;
  #offset = 0;
  /** The last bytes so far: a run may start in one chunk and end in the next. */
  #carry = Buffer.alloc(0);
  #start: number | undefined;
  #end: number | undefined;

  constructor(lengthBytes: number) {
    this.#needle = Buffer.alloc(lengthBytes);
  }

  update(bytes: Buffer): void {
    if (this.#start === undefined) this.#search(bytes);
    if (this.#start !== undefined && this.#end === undefined) this.#follow(bytes);
    this.#offset += bytes.length;
  }

  /** Whether `lengthBytes` zeros from `offset` on belong to the run. */
  covers(offset: number): boolean {
    if (this.#start === undefined) return false;
    return offset >= this.#start && offset + this.#needle.length <= (this.#end ?? this.#offset);
  }

  #search(bytes: Buffer): void {
    const seam = Buffer.concat([this.#carry, bytes.subarray(0, this.#needle.length - 1)]);
    const inSeam = seam.indexOf(this.#needle);
    const found = inSeam === -1 ? bytes.indexOf(this.#needle) : inSeam - this.#carry.length;
    if (inSeam !== -1 || found !== -1) this.#start = this.#offset + found;
    this.#carry = Buffer.from(seamEnd(seam, bytes, this.#needle.length - 1));
  }

  /** Finds the first byte after the run. */
  #follow(bytes: Buffer): void {
    let at = Math.max(0, (this.#start as number) - this.#offset);
    while (at < bytes.length && bytes[at] === 0) at += 1;
    if (at < bytes.length) this.#end = this.#offset + at;
  }
}

/** The last bytes so far. A chunk may be shorter than that. */
function seamEnd(seam: Buffer, bytes: Buffer, lengthBytes: number): Buffer {
  return (bytes.length >= lengthBytes ? bytes : seam).subarray(-lengthBytes);
}
