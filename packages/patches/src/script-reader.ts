import { PatchError } from "./patch-error.ts";
import { PartReader, VARINT_MAX_BYTES } from "./varint.ts";

/** Three numbers begin an edit. */
const NUMBERS_MAX_BYTES = 3 * VARINT_MAX_BYTES;
/** A row of a CSV that dbdepot accepts has at most 1 MiB, and so has any piece of a patch that is kept in memory as a whole. */
export const MAX_PIECE_BYTES = 1 << 20;

/** Reads the body of a patch from a stream. What it keeps in memory is at most a chunk and a piece. */
export class ScriptReader {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #maxBytes: number;
  #part = new PartReader(Buffer.alloc(0));
  #bytesRead = 0;
  #isAtEnd = false;

  /** More than `maxBytes` make the patch invalid. */
  constructor(chunks: AsyncIterable<Buffer>, maxBytes: number) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#maxBytes = maxBytes;
  }

  /** Makes the next numbers available. Undefined at the end of the script. */
  async nextEdit(): Promise<PartReader | undefined> {
    if (!this.#has(NUMBERS_MAX_BYTES)) await this.#fill(NUMBERS_MAX_BYTES);
    return this.#part.isAtEnd ? undefined : this.#part;
  }

  async take(length: number): Promise<Buffer> {
    if (length > MAX_PIECE_BYTES) throw new PatchError("invalid", "the patch contains a piece that is too long");
    if (!this.#has(length)) await this.#fill(length);
    return this.#part.take(length);
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  #has(length: number): boolean {
    return this.#part.bytes.length - this.#part.at >= length;
  }

  /** Reads until this many bytes are available, or up to the end. */
  async #fill(length: number): Promise<void> {
    const chunks = [this.#part.bytes.subarray(this.#part.at)];
    let available = (chunks[0] as Buffer).length;
    while (!this.#isAtEnd && available < length) {
      const { value, done } = await this.#chunks.next();
      if (done) {
        this.#isAtEnd = true;
        break;
      }
      this.#bytesRead += value.length;
      if (this.#bytesRead > this.#maxBytes) throw new PatchError("invalid", "the patch is larger than any valid one");
      chunks.push(value);
      available += value.length;
    }
    if (chunks.length > 1) this.#part = new PartReader(Buffer.concat(chunks));
  }
}
