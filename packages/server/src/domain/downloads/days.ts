import { USAGE_DEFAULT_DAYS, USAGE_MAX_DAYS } from "@dbdepot/contract/console/history";
import { DAY_MS, requireTime, utcDayOf } from "../../platform/primitives/dates.ts";
import { invalid } from "../../platform/primitives/faults.ts";
import type { DayCounts } from "./store.ts";

interface Period {
  since: Date;
  /** Exclusive. */
  until: Date;
}

/** A period of the history: by default the days up to the end of today, in UTC. */
export function periodOfDays(from: string | undefined, to: string | undefined, now: Date): Period {
  const until = requireTime("to", to) ?? new Date(startOfDay(now) + DAY_MS);
  const since = requireTime("from", from) ?? new Date(startOfDay(before(until)) - (USAGE_DEFAULT_DAYS - 1) * DAY_MS);
  if (until <= since) throw invalid("to must be later than from");
  if (until.getTime() - since.getTime() > USAGE_MAX_DAYS * DAY_MS) {
    throw invalid(`the period must not exceed ${USAGE_MAX_DAYS} days: choose a later from or an earlier to`);
  }
  return { since, until };
}

/** Adds the days without attempts. */
export function everyDay({ since, until }: Period, found: readonly DayCounts[]): DayCounts[] {
  const byDate = new Map(found.map((day) => [day.date, day]));
  const days: DayCounts[] = [];
  for (let day = startOfDay(since); day < until.getTime(); day += DAY_MS) {
    const date = utcDayOf(new Date(day));
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
