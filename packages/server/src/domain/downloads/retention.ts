import type { Clock } from "../../platform/primitives/clock.ts";
import { startOf } from "../usage/days.ts";
import type { UsageStore } from "../usage/store.ts";
import type { AttemptStore } from "./store.ts";

const INTERVAL_MS = 60 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Small, because on SQLite a download waits for the batch that is being deleted. */
const BATCH_SIZE = 500;

interface Histories {
  attempts: Pick<AttemptStore, "removeBefore">;
  usage: Pick<UsageStore, "progress">;
}

/** Deletes attempts older than the retention, if the usage of their day is final: it could not be counted again. */
export async function removeOldAttempts(
  { attempts, usage }: Histories,
  retentionDays: number,
  now: Date,
): Promise<number> {
  const { finalUntil } = await usage.progress();
  if (finalUntil === undefined) return 0;
  const oldest = new Date(Math.min(now.getTime() - retentionDays * DAY_MS, startOf(finalUntil).getTime()));
  let total = 0;
  for (;;) {
    const removed = await attempts.removeBefore(oldest, BATCH_SIZE);
    // A batch is smaller than requested if another server has just deleted some of its rows.
    if (removed === 0) return total;
    total += removed;
  }
}

/** Deletes attempts older than the retention, now and every hour. Does nothing if `retentionDays` is 0. */
export function keepHistoryFor(
  store: Histories,
  retentionDays: number,
  clock: Clock,
  onFailure: (error: unknown) => void,
): { stop(): void } {
  if (retentionDays === 0) return { stop: () => {} };
  const sweep = () => void removeOldAttempts(store, retentionDays, clock()).catch(onFailure);
  sweep();
  const timer = setInterval(sweep, INTERVAL_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
