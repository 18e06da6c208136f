import { abortedError, type DbdepotError } from "../errors.ts";

export interface RetryEvent {
  error: DbdepotError;
  /** 1 for the first retry. */
  attempt: number;
  delayMs: number;
}

export interface RetryPolicy {
  retries: number;
  /** The first delay; it doubles with every retry. */
  delayMs: number;
  /** Maximum total delay. */
  waitMaxMs: number;
  onRetry: ((event: RetryEvent) => void) | undefined;
}

const DELAY_MAX_MS = 30_000;

/** Counts the failures of one operation and decides whether to try again. */
export class Retries {
  readonly #policy: RetryPolicy;
  readonly #signal: AbortSignal | undefined;
  #failures = 0;
  #waitedMs = 0;

  constructor(policy: RetryPolicy, signal: AbortSignal | undefined) {
    this.#policy = policy;
    this.#signal = signal;
  }

  /** Resolves when it is time to try again. Throws the error if retrying is pointless or the limits are reached. */
  async waitAfter(error: DbdepotError): Promise<void> {
    const { retries, waitMaxMs, onRetry } = this.#policy;
    if (!error.retryable || this.#failures >= retries) throw error;
    const delayMs = error.retryAfterMs ?? this.#backoffMs();
    if (this.#waitedMs + delayMs > waitMaxMs) throw error;
    this.#failures += 1;
    this.#waitedMs += delayMs;
    onRetry?.({ error, attempt: this.#failures, delayMs });
    await pause(delayMs, this.#signal);
  }

  /** Resets the count of failures. Call it after progress. */
  reset(): void {
    this.#failures = 0;
    this.#waitedMs = 0;
  }

  /** Jitter keeps clients that failed at the same time from retrying at the same time. */
  #backoffMs(): number {
    const fullMs = Math.min(DELAY_MAX_MS, this.#policy.delayMs * 2 ** this.#failures);
    return Math.round(fullMs * (0.5 + Math.random() / 2));
  }
}

export function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
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
