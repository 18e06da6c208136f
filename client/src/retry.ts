import { abortedError, type DbdepotError } from "./errors.ts";

export interface RetryEvent {
  error: DbdepotError;
  /** The first try that is made again is 1. */
  attempt: number;
  delayMs: number;
}

export interface RetryPolicy {
  retries: number;
  /** The first pause; each further one is twice as long. */
  delayMs: number;
  /** All pauses together, unless something was achieved in between. */
  waitMaxMs: number;
  onRetry: ((event: RetryEvent) => void) | undefined;
}

const DELAY_MAX_MS = 30_000;

/** Counts the failures of one undertaking, and says when it is enough. */
export class Patience {
  readonly #policy: RetryPolicy;
  readonly #signal: AbortSignal | undefined;
  #failures = 0;
  #waitedMs = 0;

  constructor(policy: RetryPolicy, signal: AbortSignal | undefined) {
    this.#policy = policy;
    this.#signal = signal;
  }

  /** Resolves when it is time to try again; throws the error when there is no use in it. */
  async afterFailure(error: DbdepotError): Promise<void> {
    const { retries, waitMaxMs, onRetry } = this.#policy;
    if (!error.retryable || this.#failures >= retries) throw error;
    const delayMs = error.retryAfterMs ?? this.#backoffMs();
    if (this.#waitedMs + delayMs > waitMaxMs) throw error;
    this.#failures += 1;
    this.#waitedMs += delayMs;
    onRetry?.({ error, attempt: this.#failures, delayMs });
    await pause(delayMs, this.#signal);
  }

  /** Something was achieved: what failed before does not count any more. */
  progressed(): void {
    this.#failures = 0;
    this.#waitedMs = 0;
  }

  /** With jitter, so that those who failed together do not come back together. */
  #backoffMs(): number {
    const fullMs = Math.min(DELAY_MAX_MS, this.#policy.delayMs * 2 ** this.#failures);
    return Math.round(fullMs * (0.5 + Math.random() / 2));
  }
}

function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortedError());
    const onAbort = () => {
      clearTimeout(timer);
      reject(abortedError());
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, delayMs);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
