/** How often the revision of what a loop watches is compared. */
const TICK_MS = 250;

interface LoopOptions {
  run(): Promise<unknown>;
  /** The time between runs. */
  intervalMs: number;
  /** Something in memory. Once it has changed, the next run is due `delayMs` after the last one began. */
  watched?: { subject: { readonly revision: number }; delayMs: number };
  /** Called with the first of several failures in a row: an outage is reported once, not at every run. */
  onOutage?(error: unknown): void;
  /** Called with every failure. */
  onFailure?(error: unknown): void;
}

/** Runs something periodically in the background, one run at a time, and goes on if a run fails. */
export class BackgroundLoop {
  readonly #options: LoopOptions;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #begunMs = performance.now();
  #seenRevision = -1;
  #isFailing = false;

  constructor(options: LoopOptions) {
    this.#options = options;
  }

  /** Aborted when the loop stops, so that the current run can end early. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** Waits before the first run. */
  start(): void {
    if (this.signal.aborted) return;
    const { watched, intervalMs } = this.#options;
    const next = () => (this.#isDue() ? this.startNow() : this.start());
    this.#timer = setTimeout(next, watched ? TICK_MS : intervalMs).unref();
  }

  startNow(): void {
    this.#running = this.#run().finally(() => this.start());
  }

  /** Makes the next run of a loop that watches something due at once. */
  wake(): void {
    this.#begunMs = Number.NEGATIVE_INFINITY;
  }

  /** Resolves when the current run has ended. */
  finished(): Promise<void> {
    return this.#running;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }

  #isDue(): boolean {
    const { watched, intervalMs } = this.#options;
    if (!watched) return true;
    const isChanged = watched.subject.revision !== this.#seenRevision;
    return performance.now() - this.#begunMs >= (isChanged ? watched.delayMs : intervalMs);
  }

  async #run(): Promise<void> {
    const { run, watched, onOutage, onFailure } = this.#options;
    this.#begunMs = performance.now();
    this.#seenRevision = watched?.subject.revision ?? -1;
    try {
      await run();
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) onOutage?.(error);
      onFailure?.(error);
      this.#isFailing = true;
    }
  }
}
