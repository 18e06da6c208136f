import type { KeyStore } from "./store.ts";

/** "Last used" is for people who ask which keys can go: half a minute late does no harm. */
const WRITE_INTERVAL_MS = 30_000;

/** Collects when keys were last used and writes it now and then: the hot path pays for a map entry. */
export class LastUsed {
  readonly #store: Pick<KeyStore, "setLastUsed">;
  readonly #timer: NodeJS.Timeout;
  #uses = new Map<string, Date>();

  constructor(store: Pick<KeyStore, "setLastUsed">) {
    this.#store = store;
    this.#timer = setInterval(() => void this.write(), WRITE_INTERVAL_MS);
    this.#timer.unref();
  }

  note(keyId: string, now: Date): void {
    this.#uses.set(keyId, now);
  }

  /** What cannot be written now is dropped: the key's next use brings it up to date. */
  async write(): Promise<void> {
    const uses = this.#uses;
    this.#uses = new Map();
    await this.#store.setLastUsed(uses).catch(() => {});
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.write();
  }
}
