const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/**
 * How far a moment is away, as people count with a calendar: in days, and from two months on in full months. "Next month"
 * would be anything from a day to two months.
 */
export function relativeTime(moment: Date, now: Date): string {
  const away = moment.getTime() - now.getTime();
  const distance = Math.abs(away);
  if (distance < MINUTE_MS) return "just now";
  if (distance < HOUR_MS) return words.format(Math.trunc(away / MINUTE_MS), "minute");
  if (distance < DAY_MS) return words.format(Math.trunc(away / HOUR_MS), "hour");
  // Contracts begin and end at midnight in UTC, and show that date everywhere. Other moments are in the viewer's time zone.
  const toDay = moment.getTime() % DAY_MS === 0 ? utcDay : localDay;
  const [from, to] = [toDay(now), toDay(moment)];
  const months = fullMonths(from, to);
  if (Math.abs(months) < 2) return words.format((to.getTime() - from.getTime()) / DAY_MS, "day");
  if (Math.abs(months) < 24) return words.format(months, "month");
  return words.format(Math.trunc(months / 12), "year");
}

/** The day of a moment as midnight in UTC, so that days on which clocks change have 24 hours, too. */
function localDay(date: Date): Date {
  return new Date(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()));
}

function utcDay(date: Date): Date {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()));
}

/** The months of the calendar that pass completely from one day to the other. */
function fullMonths(from: Date, to: Date): number {
  if (from > to) return -fullMonths(to, from) || 0;
  const months = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
  return to.getUTCDate() < from.getUTCDate() ? months - 1 : months;
}
