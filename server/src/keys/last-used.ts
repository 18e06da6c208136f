import { setTimeout as delay } from "node:timers/promises";
import type { KeyStore } from "./store.ts";

/** "Last used" is for people who ask which keys can go: half a minute late does no harm. */
const WRITE_INTERVAL_MS = 30_000;
/** So many are written before their time; while that lasts, what other keys do is not noted. */
const PENDING_MAX = 20_000;
/** SQLite has one writer at a time, so a download's commit may wait for a portion: 4 ms among a million keys. */
const PORTION = 200;
const PAUSE_MS = 50;

/** Collects when keys were last used and writes it now and then: the hot path pays for a map entry. */
export class LastUsed {
  readonly #store: Pick<KeyStore, "setLastUsed">;
  readonly #timer: NodeJS.Timeout;
  readonly #closing = new AbortController();
  /** In milliseconds. */
  #pending = new Map<string, number>();
  #writing: Promise<void> | undefined;

  constructor(store: Pick<KeyStore, "setLastUsed">) {
    this.#store = store;
    this.#timer = setInterval(() => void this.write(), WRITE_INTERVAL_MS);
    this.#timer.unref();
  }

  note(keyId: string, now: Date): void {
    if (this.#pending.size >= PENDING_MAX && !this.#pending.has(keyId)) {
      if (this.#writing) return;
      void this.write();
    }
    this.#pending.set(keyId, now.getTime());
  }

  /** What cannot be written now is dropped: the key's next use brings it up to date. */
  write(): Promise<void> {
    this.#writing ??= this.#writePending().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closing.abort();
    await this.#writing;
    await this.write();
  }

  async #writePending(): Promise<void> {
    const uses = [...this.#pending];
    this.#pending = new Map();
    const { signal } = this.#closing;
    for (let start = 0; start < uses.length; start += PORTION) {
      // Whoever stops the server waits for this, and no commit does any more.
      if (start > 0 && !signal.aborted) await delay(PAUSE_MS, undefined, { signal, ref: false }).catch(() => {});
      const isWritten = await this.#store.setLastUsed(uses.slice(start, start + PORTION)).then(
        () => true,
        () => false,
      );
      if (!isWritten) return;
    }
  }
}
