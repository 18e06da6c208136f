import type { LimitName, LimitUse } from "@dbdepot/contract/v2/limits";
import { utcDayOf } from "../../platform/primitives/dates.ts";
import type { Store } from "../store.ts";
import { type Consumption, dayPeriod, type Limits, monthPeriod } from "./limits.ts";

/** Reads what an organization has used today, from the history, and on the earlier days of the month, from the usage totals. */
export async function readConsumption(
  { attempts, usage }: Pick<Store, "attempts" | "usage">,
  organizationId: string,
  now: Date,
): Promise<Consumption> {
  const [day, month] = [dayPeriod(now), monthPeriod(now)];
  const [today, earlierBytes] = await Promise.all([
    attempts.consumption(organizationId, day.start, day.end),
    usage.bytesOf(organizationId, { from: utcDayOf(month.start), to: utcDayOf(day.start) }),
  ]);
  return { downloads: today.downloads, bytes: today.bytes + earlierBytes };
}

/** The limits that are set and what is used of them. `streams` is undefined if it is not known. */
export function limitUses(limits: Limits, used: Consumption, streams: number | undefined, now: Date): LimitUse[] {
  const found: LimitUse[] = [];
  const add = (limit: LimitName, amount: number | null, resets: Date | null) => {
    const allowed = limits[limit];
    if (allowed !== null) found.push({ limit, allowed, used: amount, resets: resets?.toISOString() ?? null });
  };
  add("requests_per_minute", null, null);
  add("downloads_per_day", used.downloads, dayPeriod(now).end);
  add("bytes_per_month", used.bytes, monthPeriod(now).end);
  add("parallel_streams", streams ?? null, null);
  return found;
}
