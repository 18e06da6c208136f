import type { KeyStore } from "./store.ts";

/** "Last used" tells people which keys they can delete, so half a minute of delay does no harm. */
const FLUSH_INTERVAL_MS = 30_000;
/** Small enough that a download's commit doesn't wait long for the writer. */
const BATCH_SIZE = 500;
/** Bounds what one flush writes. If more keys are used between two flushes, the rest are noted at a later use. */
const PENDING_MAX = 50_000;

export interface Used {
  key: { id: string };
}

/** Remembers when keys were last used and stores it periodically, so that requests don't wait for a write. */
export class LastUsed {
  readonly #store: Pick<KeyStore, "setLastUsed">;
  readonly #timer: NodeJS.Timeout;
  #pending = new Map<string, Date>();
  #flushing: Promise<void> = Promise.resolve();

  constructor(store: Pick<KeyStore, "setLastUsed">) {
    this.#store = store;
    this.#timer = setInterval(() => void this.flush(), FLUSH_INTERVAL_MS);
    this.#timer.unref();
  }

  note({ key }: Used, now: Date): void {
    if (this.#pending.size < PENDING_MAX || this.#pending.has(key.id)) this.#pending.set(key.id, now);
  }

  /** Writes everything noted so far. Uses that cannot be written are dropped: the key's next use is noted again. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#writePending()).catch(() => {});
    return this.#flushing;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  async #writePending(): Promise<void> {
    const uses = [...this.#pending];
    this.#pending = new Map();
    for (let start = 0; start < uses.length; start += BATCH_SIZE) {
      await this.#store.setLastUsed(uses.slice(start, start + BATCH_SIZE));
    }
  }
}
