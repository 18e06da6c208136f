import type { AttemptStore } from "./store.ts";

/** Totals are updated once a minute, so half a minute of delay does no harm. */
const FLUSH_INTERVAL_MS = 30_000;
/** Small enough that a download's commit doesn't wait long for the writer. */
const BATCH_SIZE = 500;
/** Bounds what one flush writes. Of further streams, the planned length counts. */
const PENDING_MAX = 50_000;

/**
 * An attempt is recorded with the planned length before its stream is sent. This corrects it after a stream of unknown length, or
 * one that was cut off. Requests don't wait for it; after a crash the planned length counts.
 */
export class SentBytes {
  readonly #store: Pick<AttemptStore, "setSentBytes">;
  readonly #timer: NodeJS.Timeout;
  #pending = new Map<string, number>();
  #flushing: Promise<void> = Promise.resolve();

  constructor(store: Pick<AttemptStore, "setSentBytes">) {
    this.#store = store;
    this.#timer = setInterval(() => void this.flush(), FLUSH_INTERVAL_MS);
    this.#timer.unref();
  }

  note(attemptId: string, bytes: number): void {
    if (this.#pending.size < PENDING_MAX) this.#pending.set(attemptId, bytes);
  }

  /** Writes everything noted so far. What cannot be written is dropped. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#writePending()).catch(() => {});
    return this.#flushing;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  async #writePending(): Promise<void> {
    const sent = [...this.#pending];
    this.#pending = new Map();
    for (let start = 0; start < sent.length; start += BATCH_SIZE) {
      await this.#store.setSentBytes(sent.slice(start, start + BATCH_SIZE));
    }
  }
}
