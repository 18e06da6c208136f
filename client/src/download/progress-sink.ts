import type { Sink } from "../transport/transport.ts";
import type { Destination } from "./destination.ts";
import type { Progress } from "./options.ts";

const TELL_EVERY_MS = 50;

/** Tells how far it has come, not more often than anybody can look. */
export class ProgressSink implements Sink {
  readonly #destination: Destination;
  readonly #sink: Sink;
  readonly #totalBytes: number | null;
  readonly #onProgress: ((progress: Progress) => void) | undefined;
  #toldAtMs = 0;

  constructor(destination: Destination, totalBytes: number | null, onProgress?: (progress: Progress) => void) {
    this.#destination = destination;
    this.#sink = destination.sink;
    this.#totalBytes = totalBytes;
    this.#onProgress = onProgress;
  }

  room(): Uint8Array | undefined {
    return this.#sink.room();
  }

  roomAgain(): Promise<void> {
    return this.#sink.roomAgain();
  }

  filled(lengthBytes: number): void {
    this.#sink.filled(lengthBytes);
    if (this.#onProgress && performance.now() - this.#toldAtMs >= TELL_EVERY_MS) this.tell();
  }

  tell(): void {
    this.#toldAtMs = performance.now();
    const { takenBytes: receivedBytes, resumedFromBytes } = this.#destination;
    this.#onProgress?.({ receivedBytes, totalBytes: this.#totalBytes, resumedFromBytes });
  }
}
