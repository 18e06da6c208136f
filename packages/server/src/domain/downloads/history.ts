import { Unavailable } from "../../platform/primitives/faults.ts";
import { within } from "../../platform/primitives/within.ts";
import type { Attempt } from "./attempt.ts";
import type { AttemptStore } from "./store.ts";

/** Stores attempts while the database is unreachable. */
export interface Spool {
  /** Durable when it returns. Leaves nothing behind if it fails. */
  put(attempts: readonly Attempt[]): Promise<void>;
  /** Fails if attempts cannot be put into the spool. */
  probe(): Promise<void>;
  /** Passes each group to `store` and deletes it once stored. Stops at the first group that fails. */
  replay(store: (attempts: readonly Attempt[]) => Promise<void>): Promise<void>;
  /** The number of groups that wait for the database. */
  depth(): Promise<number>;
}

export interface HistoryOptions {
  /** Called once per outage of the database, and once when the spool cannot be replayed. */
  onFailure(message: string, error: unknown): void;
  /** Called after every commit to the database. */
  onCommit?(attempts: number, seconds: number): void;
  /** How long a request waits for the database before its attempt goes to the spool. */
  appendTimeoutMs?: number;
  /** How long to wait before the spool is replayed. */
  replayDelayMs?: number;
}

/**
 * Writes attempts in groups: those that arrive during a commit share the next one. Every response waits for its own
 * commit. While the database is unreachable, groups go to the spool, which is replayed until it is empty. A group may
 * be written twice, but its attempts are stored once, by their ids.
 */
export class History {
  readonly #store: Pick<AttemptStore, "append" | "probe">;
  readonly #spool: Spool;
  readonly #options: Required<HistoryOptions>;
  #next: { attempts: Attempt[]; done: PromiseWithResolvers<void> } | undefined;
  #writing: Promise<void> | undefined;
  /** The last append failed: until one succeeds, requests don't wait for the database. */
  #isDown = false;
  /** Appends that have not settled, including those whose caller no longer waits. */
  #appending = 0;
  #replaying: Promise<void> = Promise.resolve();
  #replayTimer: NodeJS.Timeout | undefined;
  #isReplayBroken = false;
  #isClosing = false;

  constructor(store: Pick<AttemptStore, "append" | "probe">, spool: Spool, options: HistoryOptions) {
    this.#store = store;
    this.#spool = spool;
    this.#options = { appendTimeoutMs: 5000, replayDelayMs: 1000, onCommit: () => {}, ...options };
  }

  /** Replays attempts that an earlier run left in the spool. */
  async start(): Promise<void> {
    this.#replaying = this.#replay();
    await this.#replaying;
  }

  /**
   * Resolves when the attempt is durable. Fails with `Unavailable` if neither the database nor the spool can store it.
   */
  record(attempt: Attempt): Promise<void> {
    this.#next ??= { attempts: [], done: Promise.withResolvers() };
    const { attempts, done } = this.#next;
    attempts.push(attempt);
    this.#writing ??= this.#writeGroups();
    return done.promise;
  }

  /** Whether an attempt could be stored now, in the spool or the database. Tries it, and leaves nothing behind. */
  async canRecord(): Promise<boolean> {
    const { appendTimeoutMs } = this.#options;
    const places = [() => this.#spool.probe(), () => this.#store.probe()];
    for (const probe of places) {
      const works = await within(appendTimeoutMs, probe()).then(
        () => true,
        () => false,
      );
      if (works) return true;
    }
    return false;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#writing;
    clearTimeout(this.#replayTimer);
    await this.#replaying;
  }

  async #writeGroups(): Promise<void> {
    // Requests that arrived in the same iteration of the event loop share the first group.
    await new Promise(setImmediate);
    for (let group = this.#next; group; group = this.#next) {
      this.#next = undefined;
      await this.#write(group.attempts).then(group.done.resolve, group.done.reject);
    }
    this.#writing = undefined;
  }

  async #write(attempts: readonly Attempt[]): Promise<void> {
    if (!this.#isDown) {
      try {
        return await this.#append(attempts);
      } catch {
        // #append has reported the error.
      }
    }
    try {
      await this.#spool.put(attempts);
    } catch (cause) {
      throw new Unavailable("neither the database nor the spool can store download attempts", { cause });
    } finally {
      // This runs after every put, so that the next replay includes a group that arrives during this one.
      this.#scheduleReplay();
    }
  }

  async #append(attempts: readonly Attempt[]): Promise<void> {
    const { appendTimeoutMs, onFailure, onCommit } = this.#options;
    const startMs = performance.now();
    this.#appending += 1;
    const appended = this.#store.append(attempts).finally(() => {
      this.#appending -= 1;
    });
    try {
      await within(appendTimeoutMs, appended);
      onCommit(attempts.length, (performance.now() - startMs) / 1000);
      this.#isDown = false;
    } catch (error) {
      if (!this.#isDown) onFailure("database unavailable: download attempts go to the spool", error);
      this.#isDown = true;
      throw error;
    }
  }

  async #replay(): Promise<void> {
    // Send no further requests while one is unanswered, because each would occupy a connection.
    if (this.#isDown && this.#appending > 0) return this.#scheduleReplay();
    const appends = { begun: 0, stored: 0 };
    try {
      await this.#spool.replay(async (attempts) => {
        if (this.#isClosing) throw new Error("the history is closing");
        appends.begun += 1;
        await this.#append(attempts);
        appends.stored += 1;
      });
      this.#isReplayBroken = false;
    } catch (error) {
      this.#scheduleReplay();
      const isDatabaseFailure = appends.stored < appends.begun;
      if (!isDatabaseFailure && !this.#isClosing && !this.#isReplayBroken) {
        this.#isReplayBroken = true;
        this.#options.onFailure("spooled download attempts cannot be replayed", error);
      }
    }
    // The spool was empty or unreadable, so only the next request can tell whether the database is back.
    if (appends.begun === 0) this.#isDown = false;
  }

  #scheduleReplay(): void {
    if (this.#isClosing) return;
    this.#replayTimer ??= setTimeout(() => {
      this.#replayTimer = undefined;
      this.#replaying = this.#replaying.then(() => this.#replay());
    }, this.#options.replayDelayMs).unref();
  }
}
