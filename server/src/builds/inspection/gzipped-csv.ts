import { createGunzip } from "node:zlib";
import { CsvShape } from "./csv-shape.ts";
import type { FileFindings } from "./findings.ts";

const TEXT_CHUNK_BYTES = 64 * 1024;
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/**
 * Unpacks a csv.gz as it goes by and looks at its text. Unpacking runs on a thread of
 * Node's pool, so that the next piece is made while the last one is looked at.
 */
export class GzippedCsv {
  readonly #gunzip = createGunzip({ chunkSize: TEXT_CHUNK_BYTES });
  readonly #shape = new CsvShape();
  readonly #reading = this.#read();
  #magic = Buffer.alloc(0);
  #sizeBytes = 0;
  /** Either its end came before the file's, or it is broken: what follows is counted only. */
  #isOver = false;
  #onOver = () => {};
  #fault: string | undefined;

  constructor() {
    // `#read` meets the first error. What is written behind an early end may cause another.
    this.#gunzip.on("error", () => {});
  }

  /** Resolves when the bytes are used: their memory may then hold the next ones. */
  async take(bytes: Buffer): Promise<void> {
    this.#sizeBytes += bytes.length;
    if (this.#magic.length < GZIP_MAGIC.length) {
      this.#magic = Buffer.concat([this.#magic, bytes.subarray(0, GZIP_MAGIC.length - this.#magic.length)]);
    }
    if (this.#isOver) return;
    await new Promise<void>((resolve) => {
      // A write that breaks it is never answered.
      this.#onOver = resolve;
      this.#gunzip.write(bytes, () => resolve());
    });
  }

  async end(): Promise<FileFindings> {
    this.#gunzip.end();
    await this.#reading;
    const trailingBytes = this.#sizeBytes - this.#gunzip.bytesWritten;
    if (this.#fault === undefined && trailingBytes > 0) {
      this.#fault = `${trailingBytes} bytes stand behind the end of the gzip data`;
    }
    // Of a text that is not all there, neither rows nor faults mean anything.
    return this.#fault === undefined ? this.#shape.end() : { faults: [this.#fault], table: null };
  }

  async #read(): Promise<void> {
    try {
      for await (const text of this.#gunzip) {
        this.#shape.take(text);
        giveBack(text);
      }
    } catch (error) {
      this.#fault = this.#inWords(error as NodeJS.ErrnoException);
    }
    this.#isOver = true;
    this.#onOver();
  }

  #inWords({ code, message }: NodeJS.ErrnoException): string {
    if (this.#sizeBytes === 0) return "the file is empty";
    if (!this.#magic.equals(GZIP_MAGIC)) return "this is no gzip file";
    if (code === "Z_BUF_ERROR") return "the gzip data ends early: the file is cut off";
    if (message === "incorrect header check") return "something that is no gzip data stands behind its end";
    return `the gzip data is damaged (${message})`;
  }
}

/**
 * Frees a piece's memory now, and not when it is collected: up to 30 MB would lie about. The gunzip goes on writing into
 * a piece's memory until it is full, so what is not full is still its own.
 */
function giveBack(piece: Buffer<ArrayBuffer>): void {
  if (piece.byteOffset + piece.length === piece.buffer.byteLength) piece.buffer.transfer(0);
}
