import type { Clock } from "../clock.ts";
import type { AttemptStore } from "./store.ts";

const SWEEP_INTERVAL_MS = 60 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** In portions, so that no download waits long for the lock. */
const ROWS_AT_ONCE = 5000;

export async function removeOldAttempts(
  attempts: Pick<AttemptStore, "removeBefore">,
  retentionDays: number,
  now: Date,
): Promise<number> {
  const limit = new Date(now.getTime() - retentionDays * DAY_MS);
  let total = 0;
  for (let removed = ROWS_AT_ONCE; removed === ROWS_AT_ONCE; total += removed) {
    removed = await attempts.removeBefore(limit, ROWS_AT_ONCE);
  }
  return total;
}

/** Removes what is older than the retention, now and every hour. 0 days keeps everything, and starts nothing. */
export function keepHistoryFor(
  attempts: Pick<AttemptStore, "removeBefore">,
  retentionDays: number,
  clock: Clock,
  onTrouble: (error: unknown) => void,
): { stop(): void } {
  if (retentionDays === 0) return { stop: () => {} };
  const sweep = () => void removeOldAttempts(attempts, retentionDays, clock()).catch(onTrouble);
  sweep();
  const timer = setInterval(sweep, SWEEP_INTERVAL_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
