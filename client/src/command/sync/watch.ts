import type { Signals } from "../signals.ts";
import type { RoundResult } from "./round.ts";

export interface WatchOptions {
  intervalMs: number;
  jitterMs: number;
  signals: Signals;
}

/** Runs rounds until it is told to stop: after each a pause, which SIGHUP ends at once. */
export async function watch(
  round: () => Promise<RoundResult>,
  { intervalMs, jitterMs, signals }: WatchOptions,
): Promise<void> {
  const alarm = new Alarm(signals);
  let failures = 0;
  while (!signals.stop.aborted) {
    const { retryAfterMs } = await round();
    failures = retryAfterMs === undefined ? 0 : failures + 1;
    await alarm.pause(pauseMs({ intervalMs, jitterMs, retryAfterMs, failures }));
  }
}

/**
 * What may pass is tried again sooner than after a whole interval, first after a minute, then less and less often, and
 * never before the service wants it.
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

/** A pause that can be cut short. A signal that comes during a round ends the next pause. */
class Alarm {
  readonly #stop: AbortSignal;
  #isRung = false;
  #wake: () => void = () => {};

  constructor(signals: Signals) {
    this.#stop = signals.stop;
    this.#stop.addEventListener("abort", () => this.#wake());
    signals.on("SIGHUP", () => {
      this.#isRung = true;
      this.#wake();
    });
  }

  async pause(durationMs: number): Promise<void> {
    if (!this.#isRung && !this.#stop.aborted) {
      await new Promise<void>((wake) => {
        const timer = setTimeout(wake, durationMs);
        this.#wake = () => {
          clearTimeout(timer);
          wake();
        };
      });
    }
    this.#isRung = false;
  }
}

/** Resolves after the time, or at once when it is aborted. */
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
