import { USAGE_DEFAULT_DAYS, USAGE_MAX_DAYS } from "@dbdepot/contract/console/history";
import { requireTime } from "../../platform/primitives/dates.ts";
import { invalid } from "../../platform/primitives/faults.ts";
import type { DayUsage } from "./store.ts";

const DAY_MS = 86_400_000;

interface Period {
  since: Date;
  /** Exclusive. */
  until: Date;
}

/** The period of a usage report: by default the days up to the end of today, in UTC. */
export function usagePeriod(from: string | undefined, to: string | undefined, now: Date): Period {
  const until = requireTime("to", to) ?? new Date(startOfDay(now) + DAY_MS);
  const since = requireTime("from", from) ?? new Date(startOfDay(before(until)) - (USAGE_DEFAULT_DAYS - 1) * DAY_MS);
  if (until <= since) throw invalid("to must be later than from");
  if (until.getTime() - since.getTime() > USAGE_MAX_DAYS * DAY_MS) {
    throw invalid(`the period must not exceed ${USAGE_MAX_DAYS} days: choose a later from or an earlier to`);
  }
  return { since, until };
}

/** Adds the days without attempts. */
export function everyDay({ since, until }: Period, found: readonly DayUsage[]): DayUsage[] {
  const byDate = new Map(found.map((day) => [day.date, day]));
  const days: DayUsage[] = [];
  for (let day = startOfDay(since); day < until.getTime(); day += DAY_MS) {
    const date = new Date(day).toISOString().slice(0, 10);
    days.push(byDate.get(date) ?? { date, ok: 0, refused: 0, bytes: 0 });
  }
  return days;
}

function startOfDay(time: Date): number {
  return Math.floor(time.getTime() / DAY_MS) * DAY_MS;
}

/** The last instant of a period that ends at `time`. */
function before(time: Date): Date {
  return new Date(time.getTime() - 1);
}
