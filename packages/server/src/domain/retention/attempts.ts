import { oldestKept } from "../../platform/primitives/dates.ts";
import type { AttemptStore } from "../downloads/store.ts";
import { startOf } from "../usage/days.ts";
import type { UsageStore } from "../usage/store.ts";
import { removeInBatches } from "./batches.ts";

interface Histories {
  attempts: Pick<AttemptStore, "removeBefore">;
  usage: Pick<UsageStore, "progress">;
}

/** Attempts from before this time are old, and the usage of their day is final: it could not be counted again. */
export async function oldestAttempt({ usage }: Pick<Histories, "usage">, days: number, now: Date): Promise<Date> {
  const { finalUntil } = await usage.progress();
  if (finalUntil === undefined) return new Date(0);
  return new Date(Math.min(oldestKept(days, now).getTime(), startOf(finalUntil).getTime()));
}

export async function removeOldAttempts(
  histories: Histories,
  retentionDays: number,
  now: Date,
  signal?: AbortSignal,
): Promise<number> {
  return removeInBatches(histories.attempts, await oldestAttempt(histories, retentionDays, now), signal);
}
