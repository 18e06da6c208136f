import { Tail } from "@dbdepot/formats/mmdb/tail";
import { HEAD_BYTES, isReproducible } from "@dbdepot/patches/recognize-gzip";

/** The length of the text modulo 2^32 is at the end of a gzip file. */
const LENGTH_BYTES = 4;
/** Smaller files get no patches. */
const MIN_FILE_BYTES = 64_000;

/** Keeps the start of a csv.gz, to find out whether patches can reproduce how it was compressed. */
export class GzipSample {
  readonly #head: Buffer[] = [];
  readonly #tail = new Tail(LENGTH_BYTES);
  #fileBytes = 0;
  #textBytes = 0;

  updateFile(bytes: Buffer): void {
    const missing = HEAD_BYTES - this.#fileBytes;
    // Buffers are reused.
    if (missing > 0) this.#head.push(Buffer.from(bytes.subarray(0, missing)));
    this.#tail.update(bytes);
    this.#fileBytes += bytes.length;
  }

  updateText(text: Buffer): void {
    this.#textBytes += text.length;
  }

  /** Undefined if the file is too small for patches. */
  async isReproducible(): Promise<boolean | undefined> {
    if (this.#fileBytes < MIN_FILE_BYTES) return undefined;
    // Files of several members have the length of the last one.
    if (this.#tail.view().readUInt32LE() !== this.#textBytes % 2 ** 32) return false;
    return isReproducible({ bytes: Buffer.concat(this.#head), isWhole: this.#fileBytes <= HEAD_BYTES });
  }
}
