import type { FileHandle } from "node:fs/promises";
import { type Deferred, deferred } from "../deferred.ts";
import { abortedError } from "../errors.ts";
import type { Sink } from "../transport/transport.ts";
import type { Format } from "../wire.ts";
import { type Examination, examine } from "./examination.ts";
import type { Findings } from "./examiner.ts";

/** Large, because to wake another thread takes as long as to write 64 KiB. */
const SLOT_BYTES = 1024 * 1024;
const SLOTS = 6;
/** How much is left to the disk at most before it is told to begin: at the end all of it must be there. */
const SYNC_EVERY_BYTES = 64 * 1024 * 1024;

/**
 * Takes a file's bytes once: each slot of shared memory, when it is full, is written and examined side by side, and
 * used again when both are done with it. Constant memory, and no byte is copied on the way.
 */
export class Intake implements Sink {
  readonly #handle: FileHandle;
  readonly #format: Format;
  readonly #slots = Array.from({ length: SLOTS }, () => new SharedArrayBuffer(SLOT_BYTES));
  readonly #views = this.#slots.map((slot) => new Uint8Array(slot));
  readonly #free = [...this.#slots.keys()];
  #filling: { slot: number; lengthBytes: number } | undefined;
  #examination: Examination | undefined;
  #expectedBytes: number | null = null;
  #takenBytes = 0;
  /** What is below lies in the file already. */
  #writtenBytes = 0;
  /** One after the other: if it all ends here, what is in the file has no hole. */
  #writing: Promise<unknown> = Promise.resolve();
  #syncing: Promise<void> | undefined;
  #syncedBytes = 0;
  #waiting: Deferred<void> | undefined;
  #failure: unknown;

  constructor(handle: FileHandle, format: Format) {
    this.#handle = handle;
    this.#format = format;
  }

  get takenBytes(): number {
    return this.#takenBytes;
  }

  /** How large it will be, as far as is known. */
  expect(sizeBytes: number | null): void {
    this.#expectedBytes = sizeBytes;
  }

  room(): Uint8Array | undefined {
    if (this.#failure) return undefined;
    if (!this.#filling) {
      const slot = this.#free.shift();
      if (slot === undefined) return undefined;
      this.#filling = { slot, lengthBytes: 0 };
    }
    const { slot, lengthBytes } = this.#filling;
    return this.#views[slot]?.subarray(lengthBytes);
  }

  filled(lengthBytes: number): void {
    if (!this.#filling) throw new Error("nothing was there to be filled");
    this.#filling.lengthBytes += lengthBytes;
    this.#takenBytes += lengthBytes;
    if (this.#filling.lengthBytes === SLOT_BYTES) this.#handOut();
  }

  async roomAgain(): Promise<void> {
    if (this.#failure) throw this.#failure;
    if (this.#filling || this.#free.length > 0) return;
    this.#waiting ??= deferred();
    await this.#waiting.promise;
  }

  /** Takes what lies in the file already: it is looked at, and not written again. */
  async takeFromFile(lengthBytes: number, signal: AbortSignal | undefined): Promise<void> {
    this.#writtenBytes = lengthBytes;
    while (this.#takenBytes < lengthBytes) {
      if (signal?.aborted) throw abortedError();
      await this.roomAgain();
      const room = this.room();
      if (!room) continue;
      const wanted = Math.min(room.length, lengthBytes - this.#takenBytes);
      const { bytesRead } = await this.#handle.read(room, 0, wanted, this.#takenBytes);
      if (bytesRead === 0) break;
      this.filled(bytesRead);
    }
    await this.settled();
    this.#writtenBytes = this.#takenBytes;
  }

  /** All that was taken is written and examined. */
  async settled(): Promise<void> {
    this.#handOut();
    while (this.#free.length < SLOTS) {
      if (this.#failure) throw this.#failure;
      this.#waiting ??= deferred();
      await this.#waiting.promise;
    }
    if (this.#failure) throw this.#failure;
  }

  async sha256SoFar(): Promise<string> {
    await this.settled();
    return this.#examiner().sha256SoFar();
  }

  async end(): Promise<Findings> {
    await this.settled();
    return this.#examiner().end();
  }

  async close(): Promise<void> {
    await this.#writing.catch(() => {});
    await this.#syncing;
    await this.#examination?.close();
  }

  #examiner(): Examination {
    this.#examination ??= examine(this.#slots, this.#format, this.#expectedBytes);
    return this.#examination;
  }

  #handOut(): void {
    if (!this.#filling) return;
    const { slot, lengthBytes } = this.#filling;
    const position = this.#takenBytes - lengthBytes;
    this.#filling = undefined;
    const examined = lengthBytes > 0 ? this.#examiner().take(slot, lengthBytes) : undefined;
    if (position >= this.#writtenBytes) {
      this.#writing = this.#writing.then(() => this.#write(slot, lengthBytes, position));
    }
    Promise.all([examined, this.#writing]).then(
      () => {
        this.#free.push(slot);
        this.#tell();
      },
      (error) => {
        this.#failure ??= error;
        this.#tell();
      },
    );
  }

  async #write(slot: number, lengthBytes: number, position: number): Promise<void> {
    const view = this.#views[slot] as Uint8Array;
    for (let at = 0; at < lengthBytes; ) {
      // A full disk may take some of it before it says so.
      at += (await this.#handle.write(view, at, lengthBytes - at, position + at)).bytesWritten;
    }
    this.#sync(position + lengthBytes);
  }

  /** Beside the transfer, so that little is left to wait for at its end. If it fails, the last one will tell. */
  #sync(writtenBytes: number): void {
    if (this.#syncing || writtenBytes < this.#syncedBytes + SYNC_EVERY_BYTES) return;
    this.#syncedBytes = writtenBytes;
    this.#syncing = this.#handle.datasync().then(
      () => {
        this.#syncing = undefined;
      },
      () => {
        this.#syncing = undefined;
      },
    );
  }

  #tell(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (this.#failure) waiting?.reject(this.#failure);
    else waiting?.resolve();
  }
}
