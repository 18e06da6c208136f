import type { FileHandle } from "node:fs/promises";
import type { Format } from "../api/wire.gen.ts";
import { abortedError } from "../errors.ts";
import { Verifier } from "./verifier.ts";

const BLOCK_BYTES = 1024 * 1024;

/** Writes and verifies a file block by block, in constant memory. */
export class FileWriter {
  readonly #handle: FileHandle;
  readonly #verifier: Verifier;
  readonly #block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  #blockBytes = 0;
  #writtenBytes = 0;

  constructor(handle: FileHandle, format: Format) {
    this.#handle = handle;
    this.#verifier = new Verifier(format);
  }

  get receivedBytes(): number {
    return this.#writtenBytes + this.#blockBytes;
  }

  async write(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length; ) {
      const piece = chunk.subarray(at, at + BLOCK_BYTES - this.#blockBytes);
      this.#block.set(piece, this.#blockBytes);
      this.#blockBytes += piece.length;
      at += piece.length;
      if (this.#blockBytes === BLOCK_BYTES) await this.flush();
    }
  }

  async flush(): Promise<void> {
    const bytes = this.#block.subarray(0, this.#blockBytes);
    await Promise.all([this.#verifier.update(bytes), this.#writeAll(bytes)]);
    this.#writtenBytes += bytes.length;
    this.#blockBytes = 0;
  }

  /** Verifies the bytes that an earlier run left in the file. */
  async readExisting(signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      if (signal?.aborted) throw abortedError();
      const { bytesRead } = await this.#handle.read(this.#block, 0, BLOCK_BYTES, this.#writtenBytes);
      if (bytesRead === 0) return;
      await this.#verifier.update(this.#block.subarray(0, bytesRead));
      this.#writtenBytes += bytesRead;
    }
  }

  async sha256(): Promise<string> {
    await this.flush();
    return this.#verifier.sha256();
  }

  async faults(): Promise<string[]> {
    await this.flush();
    return this.#verifier.faults();
  }

  async #writeAll(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      // A nearly full disk may accept only part of a block.
      const { bytesWritten } = await this.#handle.write(bytes, at, bytes.length - at, this.#writtenBytes + at);
      at += bytesWritten;
    }
  }
}
