import { createGunzip } from "node:zlib";
import { CsvCheck } from "./csv-check.ts";
import { GzipSample } from "./gzip-sample.ts";
import type { FileReport } from "./report.ts";

const TEXT_CHUNK_BYTES = 64 * 1024;
/** Real CSV files compress to a tenth or so. A gzip bomb has a ratio of up to 1,000. */
const MAX_RATIO = 100;
/** Below this size the ratio does not matter. */
const ALWAYS_ALLOWED_TEXT_BYTES = 64 * 1024 * 1024;
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** Decompresses a csv.gz chunk by chunk and checks its text. */
export class CsvgzCheck {
  readonly #gunzip = createGunzip({ chunkSize: TEXT_CHUNK_BYTES });
  readonly #csv = new CsvCheck();
  readonly #sample = new GzipSample();
  readonly #reading = this.#readText();
  #magic = Buffer.alloc(0);
  #sizeBytes = 0;
  #textBytes = 0;
  /** Nothing more is decompressed: the gzip data has ended or is refused, or the CSV check has stopped. */
  #isOver = false;
  #onOver = () => {};
  #gzipFault: string | undefined;

  constructor() {
    // `#readText` handles the first error. Writing after the end of the gzip data may cause another.
    this.#gunzip.on("error", () => {});
  }

  /** Resolves when the bytes have been consumed and their memory can be reused. */
  async update(bytes: Buffer): Promise<void> {
    this.#sizeBytes += bytes.length;
    if (this.#magic.length < GZIP_MAGIC.length) {
      this.#magic = Buffer.concat([this.#magic, bytes.subarray(0, GZIP_MAGIC.length - this.#magic.length)]);
    }
    if (this.#isOver) return;
    this.#sample.updateFile(bytes);
    await new Promise<void>((resolve) => {
      // The callback is never called for a write that fails.
      this.#onOver = resolve;
      this.#gunzip.write(bytes, () => resolve());
    });
  }

  async end(): Promise<FileReport> {
    this.#gunzip.end();
    await this.#reading;
    if (this.#csv.isStopped) return this.#csv.end();
    const trailingBytes = this.#sizeBytes - this.#gunzip.bytesWritten;
    if (this.#gzipFault === undefined && trailingBytes > 0) {
      this.#gzipFault = `${trailingBytes} bytes after the end of the gzip data`;
    }
    // Faults and row counts of an incomplete text would be misleading.
    if (this.#gzipFault !== undefined) return { faults: [this.#gzipFault], table: null };
    const isReproducible = await this.#sample.isReproducible();
    return { ...this.#csv.end(), ...(isReproducible !== undefined && { isReproducible }) };
  }

  async #readText(): Promise<void> {
    try {
      for await (const text of this.#gunzip) {
        this.#textBytes += text.length;
        if (isBomb(this.#sizeBytes, this.#textBytes)) {
          this.#gzipFault = `decompresses to more than ${MAX_RATIO} times its size`;
          break;
        }
        this.#sample.updateText(text);
        this.#csv.write(text);
        if (this.#csv.isStopped) break;
      }
    } catch (error) {
      this.#gzipFault = this.#explain(error as NodeJS.ErrnoException);
    }
    this.#isOver = true;
    this.#onOver();
  }

  #explain({ code, message }: NodeJS.ErrnoException): string {
    if (this.#sizeBytes === 0) return "the file is empty";
    if (!this.#magic.equals(GZIP_MAGIC)) return "not a gzip file";
    if (code === "Z_BUF_ERROR") return "the gzip data is truncated";
    if (message === "incorrect header check") return "data that is not gzip follows the end of the gzip data";
    return `the gzip data is damaged (${message})`;
  }
}

export function isBomb(sizeBytes: number, textBytes: number): boolean {
  return textBytes > Math.max(ALWAYS_ALLOWED_TEXT_BYTES, MAX_RATIO * sizeBytes);
}
