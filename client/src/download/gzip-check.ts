import { createGunzip, type Gunzip } from "node:zlib";

/** Decompresses a gzip file and discards the result, to check its structure and its own checksum. */
export class GzipCheck {
  readonly #gunzip: Gunzip = createGunzip();
  #fault: string | undefined;

  constructor() {
    this.#gunzip.on("error", (error) => {
      this.#fault ??= `cannot be decompressed: ${error.message}`;
    });
    this.#gunzip.resume();
  }

  /** The memory may be reused once this resolves. */
  update(bytes: Buffer): Promise<void> {
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
