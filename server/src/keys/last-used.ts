import { setTimeout as delay } from "node:timers/promises";
import type { KeyPlace, KeyStore, KeyUses } from "./store.ts";

/** "Last used" is for people who ask which keys can go: half a minute late does no harm, nor more under great load. */
const WRITE_INTERVAL_MS = 30_000;
/** SQLite has one writer at a time, so a download's commit may wait for a portion: 1 ms among a million keys. */
const PORTION = 50;
/**
 * So that, with every request by another key, no more than a 200th of a processor's time goes into this: with 60 ms, p99 of
 * metadata among a million keys was 1.20 times that among a thousand, and is 1.06 so (25 rounds each).
 */
const PAUSE_MS = 300;
/** Of those that the register does not hold. Beyond, what further ones do is not noted. */
const PENDING_MAX = 20_000;
/** Whoever stops the server does not wait for more: the next use of the others brings them up to date. */
const LAST_PORTIONS = 400;

/** A key that was used, and where the register has it, if it does. */
export interface Used {
  key: { id: string };
  place?: KeyPlace | undefined;
}

interface UsedInRegister {
  takeUses(limit: number): KeyUses;
}

/** Collects when keys were last used and writes it now and then: the hot path pays for a number in a table. */
export class LastUsed {
  readonly #store: Pick<KeyStore, "setLastUsed">;
  readonly #register: UsedInRegister;
  readonly #timer: NodeJS.Timeout;
  readonly #closing = new AbortController();
  /** Legacy keys, and others while the register is not whole. */
  readonly #pending = new Map<string, number>();
  #writing: Promise<void> | undefined;

  constructor(store: Pick<KeyStore, "setLastUsed">, register: UsedInRegister) {
    this.#store = store;
    this.#register = register;
    this.#timer = setInterval(() => void this.write(), WRITE_INTERVAL_MS);
    this.#timer.unref();
  }

  note({ key, place }: Used, now: Date): void {
    const usedMs = now.getTime();
    if (place) place.noteUse(usedMs);
    else if (this.#pending.size < PENDING_MAX || this.#pending.has(key.id)) this.#pending.set(key.id, usedMs);
  }

  /** All that is noted. What cannot be written now is dropped: the key's next use brings it up to date. */
  write(): Promise<void> {
    this.#writing ??= this.#writeAll().finally(() => {
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

  async #writeAll(): Promise<void> {
    const { signal } = this.#closing;
    let portionsLeft = LAST_PORTIONS;
    for (let uses = this.#takePortion(); uses.length > 0; uses = this.#takePortion()) {
      const isWritten = await this.#store.setLastUsed(uses).then(
        () => true,
        () => false,
      );
      if (signal.aborted) portionsLeft -= 1;
      if (!isWritten || portionsLeft === 0) return;
      // Whoever stops the server waits for this, and no commit does any more.
      if (!signal.aborted) await delay(PAUSE_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  #takePortion(): KeyUses {
    const uses: [string, number][] = [];
    for (const use of this.#pending) {
      if (uses.length === PORTION) break;
      uses.push(use);
      this.#pending.delete(use[0]);
    }
    return [...uses, ...this.#register.takeUses(PORTION - uses.length)];
  }
}
