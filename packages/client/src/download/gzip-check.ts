import { finished } from "node:stream/promises";
import { createGunzip, type Gunzip } from "node:zlib";

/** Decompresses a gzip file and discards the result, to check its structure and its own checksum. */
export class GzipCheck {
  readonly #gunzip: Gunzip = createGunzip();
  #fault: string | undefined;
  #onFault = () => {};

  constructor() {
    this.#gunzip.on("error", (error) => {
      this.#fault ??= `cannot be decompressed: ${error.message}`;
      this.#onFault();
    });
    this.#gunzip.resume();
  }

  /** The memory may be reused once this resolves. */
  update(bytes: Buffer): Promise<void> {
    return new Promise((resolve) => {
      if (this.#gunzip.destroyed || bytes.length === 0) return resolve();
      // The callback is never called for a write that fails.
      this.#onFault = resolve;
      this.#gunzip.write(bytes, () => resolve());
    });
  }

  async end(): Promise<{ faults: string[] }> {
    this.#gunzip.end();
    // The error handler has stored the error as the fault.
    await finished(this.#gunzip).catch(() => {});
    return { faults: this.#fault === undefined ? [] : [this.#fault] };
  }
}
