import { createGunzip, type Gunzip } from "node:zlib";

const CHUNK_BYTES = 256 * 1024;

/** Unpacks what goes by and keeps nothing of it: a gzip holds a checksum of its own. */
export class GzipTest {
  readonly #gunzip: Gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  #fault: string | undefined;

  constructor() {
    this.#gunzip.on("error", (error) => {
      this.#fault ??= `it cannot be unpacked: ${error.message}`;
    });
    this.#gunzip.resume();
  }

  /** Resolves when it is done with the memory. */
  take(bytes: Buffer): Promise<void> {
    return new Promise((resolve) => {
      if (this.#fault !== undefined || bytes.length === 0) resolve();
      else this.#gunzip.write(bytes, () => resolve());
    });
  }

  async end(): Promise<{ faults: string[] }> {
    if (this.#fault === undefined) {
      await new Promise<void>((resolve) => this.#gunzip.once("close", resolve).end());
    }
    return { faults: this.#fault === undefined ? [] : [this.#fault] };
  }
}
