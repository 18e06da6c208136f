const FLUSH_INTERVAL_MS = 30_000;
/** Small enough that a download's commit doesn't wait long for the writer. */
const BATCH_SIZE = 500;
/** Bounds what one flush writes. Further ids are dropped until then. */
const PENDING_MAX = 50_000;

/**
 * Collects values by id and writes them twice a minute, so that requests don't wait. For values that may be late, or lost in a crash.
 */
export class DelayedWrites<Value> {
  readonly #write: (batch: readonly (readonly [id: string, value: Value])[]) => Promise<void>;
  readonly #timer: NodeJS.Timeout;
  #pending = new Map<string, Value>();
  #flushing: Promise<void> = Promise.resolve();

  constructor(write: (batch: readonly (readonly [id: string, value: Value])[]) => Promise<void>) {
    this.#write = write;
    this.#timer = setInterval(() => void this.flush(), FLUSH_INTERVAL_MS);
    this.#timer.unref();
  }

  /** Replaces an earlier value of the id. */
  note(id: string, value: Value): void {
    if (this.#pending.size < PENDING_MAX || this.#pending.has(id)) this.#pending.set(id, value);
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
    const values = [...this.#pending];
    this.#pending = new Map();
    for (let start = 0; start < values.length; start += BATCH_SIZE) {
      await this.#write(values.slice(start, start + BATCH_SIZE));
    }
  }
}
