import type { Attempt } from "./attempt.ts";
import type { AttemptStore } from "./store.ts";

/** Where attempts wait while the database is out of reach. */
export interface Spool {
  /** Durable when it returns. */
  put(attempts: readonly Attempt[]): Promise<void>;
  /** Hands every waiting group to `store`, and removes it once that has it. */
  drain(store: (attempts: readonly Attempt[]) => Promise<void>): Promise<void>;
}

/** A database that does not answer within this is out of reach: a caller is waiting. */
const APPEND_TIMEOUT_MS = 5000;
const DRAIN_INTERVAL_MS = 1000;

/**
 * Writes attempts in groups: those that arrive while a commit is under way share the next
 * one. Every response waits for its own commit, so nothing that was answered is ever lost,
 * and the cost of an attempt falls as load grows. While the database is out of reach,
 * groups go to the spool; they are moved in, once each, when it is back.
 */
export class History {
  readonly #store: Pick<AttemptStore, "append">;
  readonly #spool: Spool;
  readonly #onTrouble: (error: unknown) => void;
  #waiting: { attempts: Attempt[]; done: PromiseWithResolvers<void> } | undefined;
  #writing: Promise<void> | undefined;
  #isSpooling = false;
  #drainTimer: NodeJS.Timeout | undefined;

  constructor(store: Pick<AttemptStore, "append">, spool: Spool, onTrouble: (error: unknown) => void) {
    this.#store = store;
    this.#spool = spool;
    this.#onTrouble = onTrouble;
  }

  /** Takes in what an earlier run had to leave in the spool. */
  async start(): Promise<void> {
    await this.#drain();
  }

  /** Resolves when the attempt is durable. */
  record(attempt: Attempt): Promise<void> {
    this.#waiting ??= { attempts: [], done: Promise.withResolvers() };
    const { attempts, done } = this.#waiting;
    attempts.push(attempt);
    this.#writing ??= this.#writeAll();
    return done.promise;
  }

  async close(): Promise<void> {
    await this.#writing;
    clearTimeout(this.#drainTimer);
  }

  async #writeAll(): Promise<void> {
    // One turn of the event loop: requests that arrived together share the first group too.
    await new Promise(setImmediate);
    for (let group = this.#waiting; group; group = this.#waiting) {
      this.#waiting = undefined;
      await this.#write(group.attempts).then(group.done.resolve, group.done.reject);
    }
    this.#writing = undefined;
  }

  async #write(attempts: readonly Attempt[]): Promise<void> {
    if (!this.#isSpooling) {
      try {
        return await this.#append(attempts);
      } catch (error) {
        this.#onTrouble(error);
        this.#isSpooling = true;
        this.#scheduleDrain();
      }
    }
    await this.#spool.put(attempts);
  }

  /** A late success after the time-out does no harm: an attempt is stored once, by its id. */
  async #append(attempts: readonly Attempt[]): Promise<void> {
    const tooLate = Promise.withResolvers<void>();
    const complaint = `the database did not take the history within ${APPEND_TIMEOUT_MS} ms`;
    const timer = setTimeout(() => tooLate.reject(new Error(complaint)), APPEND_TIMEOUT_MS);
    try {
      await Promise.race([this.#store.append(attempts), tooLate.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #drain(): Promise<void> {
    try {
      await this.#spool.drain((attempts) => this.#append(attempts));
      this.#isSpooling = false;
    } catch {
      // Said when the outage began; the next try comes by itself.
      this.#scheduleDrain();
    }
  }

  #scheduleDrain(): void {
    clearTimeout(this.#drainTimer);
    this.#drainTimer = setTimeout(() => void this.#drain(), DRAIN_INTERVAL_MS);
    this.#drainTimer.unref();
  }
}
