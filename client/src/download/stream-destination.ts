import { type Deferred, deferred } from "../deferred.ts";
import { abortedError, DbdepotError } from "../errors.ts";
import type { Sink } from "../transport/transport.ts";
import type { Format } from "../wire.ts";
import type { Destination } from "./destination.ts";
import { Examiner, type Findings } from "./examiner.ts";
import type { NodeWritable } from "./options.ts";

const PIECE_BYTES = 64 * 1024;

/** A stream of the caller's: what it has got cannot be taken back. */
export class StreamDestination implements Destination, Sink {
  readonly resumedFromBytes = 0;
  readonly #write: (bytes: Uint8Array) => Promise<void>;
  readonly #release: () => void;
  readonly #examiner: Examiner;
  #sha256: string | undefined;
  #takenBytes = 0;
  #room: Uint8Array | undefined;
  #isBusy = false;
  #waiting: Deferred<void> | undefined;
  #failure: unknown;

  constructor(stream: WritableStream<Uint8Array> | NodeWritable, format: Format) {
    const { write, release } = writerOf(stream);
    this.#write = write;
    this.#release = release;
    this.#examiner = new Examiner(format);
  }

  get sink(): Sink {
    return this;
  }

  get takenBytes(): number {
    return this.#takenBytes;
  }

  async begin(sha256: string): Promise<boolean> {
    if (this.#takenBytes === 0) this.#sha256 = sha256;
    return this.#sha256 === sha256;
  }

  async restart(): Promise<boolean> {
    return this.#takenBytes === 0;
  }

  expect(): void {}

  /** New memory each time: nobody knows how long the stream keeps it. */
  room(): Uint8Array | undefined {
    if (this.#isBusy || this.#failure) return undefined;
    this.#room ??= Buffer.allocUnsafeSlow(PIECE_BYTES);
    return this.#room;
  }

  filled(lengthBytes: number): void {
    if (lengthBytes === 0 || !this.#room) return;
    const bytes = this.#room.subarray(0, lengthBytes);
    this.#room = undefined;
    this.#takenBytes += lengthBytes;
    this.#isBusy = true;
    this.#pass(bytes).then(
      () => this.#tell(),
      (error) => {
        this.#failure ??= error;
        this.#tell();
      },
    );
  }

  async roomAgain(): Promise<void> {
    if (this.#isBusy) {
      this.#waiting ??= deferred();
      await this.#waiting.promise;
    }
    if (this.#failure) throw this.#failure;
  }

  async sha256SoFar(): Promise<string> {
    await this.roomAgain();
    return this.#examiner.sha256SoFar();
  }

  async end(): Promise<Findings> {
    await this.roomAgain();
    return this.#examiner.end();
  }

  async accept(): Promise<void> {
    this.#release();
  }

  async abandon(): Promise<void> {
    this.#release();
  }

  async #pass(bytes: Uint8Array): Promise<void> {
    await this.#examiner.take(bytes as Buffer);
    await this.#write(bytes);
  }

  #tell(): void {
    this.#isBusy = false;
    this.#waiting?.resolve();
    this.#waiting = undefined;
  }
}

function writerOf(stream: WritableStream<Uint8Array> | NodeWritable): {
  write: (bytes: Uint8Array) => Promise<void>;
  release: () => void;
} {
  if ("getWriter" in stream) {
    const writer = stream.getWriter();
    return { write: (bytes) => writer.write(bytes).catch(streamFailed), release: () => writer.releaseLock() };
  }
  const write = (bytes: Uint8Array) =>
    new Promise<void>((resolve, reject) => {
      stream.write(bytes, (error) => (error ? reject(error) : resolve()));
    }).catch(streamFailed);
  return { write, release: () => {} };
}

function streamFailed(error: unknown): never {
  if (error instanceof Error && error.name === "AbortError") throw abortedError();
  const { code = null } = (error ?? {}) as { code?: string | null };
  throw new DbdepotError("disk", `the stream takes no more${code ? ` (${code})` : ""}`, { code });
}
