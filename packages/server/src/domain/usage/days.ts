import { DAY_MS, utcDayOf } from "../../platform/primitives/dates.ts";

/** Days and months are in UTC, as text: 2027-01-31 and 2027-01. They sort by time. */

export function startOf(day: string): Date {
  return new Date(`${day}T00:00:00.000Z`);
}

export function addDays(day: string, days: number): string {
  return utcDayOf(new Date(startOf(day).getTime() + days * DAY_MS));
}

export function daysBetween(from: string, to: string): number {
  return Math.round((startOf(to).getTime() - startOf(from).getTime()) / DAY_MS);
}

export function monthOf(day: string): string {
  return day.slice(0, 7);
}

/** The first day of the month that is `months` after that of `day`. */
export function firstOfMonth(day: string, months = 0): string {
  const time = startOf(`${monthOf(day)}-01`);
  time.setUTCMonth(time.getUTCMonth() + months);
  return utcDayOf(time);
}
