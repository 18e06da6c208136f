import type { FileHandle } from "node:fs/promises";
import { Readable } from "node:stream";
import type { ByteRange } from "./byte-range.ts";

/** Larger chunks are hardly faster, and every transfer has two of them in memory. */
const CHUNK_BYTES = 128 * 1024;

/**
 * Streams part of a file and closes the handle when the stream ends or is destroyed. Unlike `fs.ReadStream` it fails if
 * the file is too short, so that a client that was promised a length is not left waiting for the rest.
 */
export class FileStream extends Readable {
  readonly #handle: FileHandle;
  readonly #last: number;
  #position: number;

  constructor(handle: FileHandle, { first, last }: ByteRange) {
    super({ highWaterMark: CHUNK_BYTES });
    this.#handle = handle;
    this.#position = first;
    this.#last = last;
  }

  override async _read(): Promise<void> {
    const length = Math.min(CHUNK_BYTES, this.#last - this.#position + 1);
    if (length <= 0) {
      this.push(null);
      return;
    }
    try {
      const chunk = Buffer.allocUnsafeSlow(length);
      const { bytesRead } = await this.#handle.read(chunk, 0, length, this.#position);
      if (bytesRead === 0) throw new Error("the file was truncated while it was being read");
      this.#position += bytesRead;
      this.push(chunk.subarray(0, bytesRead));
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#handle.close().then(() => callback(error), callback);
  }
}
