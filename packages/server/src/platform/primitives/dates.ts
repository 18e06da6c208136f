import { invalid } from "./faults.ts";

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const RFC_3339 = /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](?:[01]\d|2[0-3]):\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2}))?$/;

const FIRST_TIME = new Date("0000-01-01T00:00:00Z");
const LAST_TIME = new Date("9999-12-31T23:59:59.999Z");

/** An RFC 3339 date-time, or a date for its first instant in UTC. Undefined if it is neither. */
export function parseTime(text: string): Date | undefined {
  const match = RFC_3339.exec(text);
  if (!match) return undefined;
  // Date parses February 30th as March 2nd.
  const day = Number(match[3]);
  if (day < 1 || day > daysInMonth(Number(match[1]), Number(match[2]))) return undefined;
  const time = new Date(text.replace(" ", "T"));
  // The year in UTC must have four digits, because stored times are compared as text.
  return time >= FIRST_TIME && time <= LAST_TIME ? time : undefined;
}

/**
 * Does the same as parseTime, but throws a fault that names the field if the time is invalid. Returns undefined and null as they
 * are.
 */
export function requireTime(name: string, text: string): Date;
export function requireTime(name: string, text: string | undefined): Date | undefined;
export function requireTime(name: string, text: string | null | undefined): Date | null | undefined;
export function requireTime(name: string, text: string | null | undefined): Date | null | undefined {
  if (text === undefined || text === null) return text;
  const time = parseTime(text);
  if (!time) throw invalid(`${name}: "${text}" is not a date: use 2027-01-31 or 2027-01-31T12:00:00Z`);
  return time;
}

function daysInMonth(year: number, month: number): number {
  if (month < 1 || month > 12) return 0;
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** Everything from before this time is removed if it is kept for some days. */
export function oldestKept(days: number, now: Date): Date {
  return new Date(now.getTime() - days * DAY_MS);
}

/** The day of a time in UTC, such as 2027-01-31. */
export function utcDayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}
