import type { LimitName, LimitUse } from "@dbdepot/contract/v2/limits";
import type { AttemptStore } from "../downloads/store.ts";
import { type Consumption, dayOf, type Limits, monthOf } from "./limits.ts";

type Counted = Pick<AttemptStore, "consumption">;

/** Reads what an organization has used today and this month, from the history. */
export async function readConsumption(attempts: Counted, organizationId: string, now: Date): Promise<Consumption> {
  const [day, month] = [dayOf(now), monthOf(now)];
  const [today, all] = await Promise.all([
    attempts.consumption(organizationId, day.start, day.end),
    attempts.consumption(organizationId, month.start, month.end),
  ]);
  return { downloads: today.downloads, bytes: all.bytes };
}

/** The limits that are set and what is used of them. `streams` is undefined if it is not known. */
export function limitUses(limits: Limits, used: Consumption, streams: number | undefined, now: Date): LimitUse[] {
  const found: LimitUse[] = [];
  const add = (limit: LimitName, amount: number | null, resets: Date | null) => {
    const allowed = limits[limit];
    if (allowed !== null) found.push({ limit, allowed, used: amount, resets: resets?.toISOString() ?? null });
  };
  add("requests_per_minute", null, null);
  add("downloads_per_day", used.downloads, dayOf(now).end);
  add("bytes_per_month", used.bytes, monthOf(now).end);
  add("parallel_streams", streams ?? null, null);
  return found;
}
