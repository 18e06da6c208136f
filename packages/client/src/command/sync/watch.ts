import type { Signals } from "../signals.ts";
import type { RoundResult } from "./round.ts";

export interface WatchOptions {
  intervalMs: number;
  jitterMs: number;
  signals: Signals;
  /**
   * Calls `wake` when there is something new, so that the next round does not wait. Resolves once it follows events, or
   * after a short time.
   */
  follow(wake: () => void): Promise<void>;
}

/** Runs rounds until stopped. SIGHUP and events end the pause between two rounds. */
export async function watch(
  round: () => Promise<Pick<RoundResult, "retryAfterMs">>,
  { intervalMs, jitterMs, signals, follow }: WatchOptions,
): Promise<void> {
  const interruptible = new InterruptiblePause(signals);
  await follow(() => interruptible.interrupt());
  let failures = 0;
  while (!signals.stop.aborted) {
    const { retryAfterMs } = await round();
    failures = retryAfterMs === undefined ? 0 : failures + 1;
    await interruptible.pause(pauseMs({ intervalMs, jitterMs, retryAfterMs, failures }));
  }
}

/**
 * After a temporary failure the pause starts short and doubles up to the interval, but is never shorter than
 * Retry-After.
 */
export function pauseMs({
  intervalMs,
  jitterMs,
  retryAfterMs,
  failures,
}: {
  intervalMs: number;
  jitterMs: number;
  retryAfterMs: number | undefined;
  failures: number;
}): number {
  const wait = retryAfterMs === undefined ? intervalMs : Math.min(intervalMs, retryAfterMs * 2 ** (failures - 1));
  return Math.max(wait, retryAfterMs ?? 0) + Math.random() * Math.min(jitterMs, wait / 10);
}

/** An interruption, such as SIGHUP, ends the current pause, or during a round the next one. */
class InterruptiblePause {
  readonly #stop: AbortSignal;
  #isInterrupted = false;
  #wake: () => void = () => {};

  constructor(signals: Signals) {
    this.#stop = signals.stop;
    this.#stop.addEventListener("abort", () => this.#wake());
    signals.on("SIGHUP", () => this.interrupt());
  }

  interrupt(): void {
    this.#isInterrupted = true;
    this.#wake();
  }

  async pause(durationMs: number): Promise<void> {
    if (!this.#isInterrupted && !this.#stop.aborted) {
      await new Promise<void>((wake) => {
        const timer = setTimeout(wake, durationMs);
        this.#wake = () => {
          clearTimeout(timer);
          wake();
        };
      });
    }
    this.#isInterrupted = false;
  }
}

/** Resolves after the duration, or when aborted. */
export function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, durationMs);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
