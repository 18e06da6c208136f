import { PatchError } from "../patch-error.ts";
import { PartReader, VARINT_MAX_BYTES } from "../varint.ts";
import { MAX_LINE_BYTES } from "./line-reader.ts";

/** Three numbers begin an edit. */
const EDIT_MAX_BYTES = 3 * VARINT_MAX_BYTES;

/** Reads a script from a stream. What it keeps in memory is at most a chunk and a line. */
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

  /** Makes the start of the next edit available. Undefined at the end of the script. */
  async nextEdit(): Promise<PartReader | undefined> {
    if (!this.#has(EDIT_MAX_BYTES)) await this.#fill(EDIT_MAX_BYTES);
    return this.#part.isAtEnd ? undefined : this.#part;
  }

  async take(length: number): Promise<Buffer> {
    if (length > MAX_LINE_BYTES) throw new PatchError("invalid", "the patch contains a line that is too long");
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
    while (!this.#isAtEnd && !this.#has(length)) {
      const { value, done } = await this.#chunks.next();
      if (done) {
        this.#isAtEnd = true;
        return;
      }
      this.#bytesRead += value.length;
      if (this.#bytesRead > this.#maxBytes) throw new PatchError("invalid", "the patch is larger than any valid one");
      this.#part = new PartReader(Buffer.concat([this.#part.bytes.subarray(this.#part.at), value]));
    }
  }
}
