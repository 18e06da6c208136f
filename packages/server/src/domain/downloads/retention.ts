import { removeInBatches } from "../retention/batches.ts";
import { oldestKept } from "../retention/policy.ts";
import type { AttemptStore } from "./store.ts";

/** Attempts from before this time go. */
export function oldestAttempt(retentionDays: number, now: Date): Date {
  return oldestKept(retentionDays, now);
}

export async function removeOldAttempts(
  attempts: Pick<AttemptStore, "removeBefore">,
  retentionDays: number,
  now: Date,
  signal?: AbortSignal,
): Promise<number> {
  const oldest = oldestAttempt(retentionDays, now);
  return removeInBatches(attempts, oldest, signal);
}
