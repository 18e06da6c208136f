import { InvalidArgumentError } from "@dbdepot/terminal/command";
import { parseDuration } from "@dbdepot/terminal/duration";
import { parseTime } from "../platform/primitives/dates.ts";

const DATE_HINT = "Use a date like 2027-01-31 or 2027-01-31T12:00:00Z";

/** Parser for options that accept a time in the past: a date, or an age like 7d. */
export function timeOrAge(text: string): Date {
  return parseTime(text) ?? fromNow(text, -1) ?? fail(`${DATE_HINT}, or an age like 7d or 1y.`);
}

/** Parser for options that accept a time in the future: a date, or a duration from now like 90d. */
export function timeOrDuration(text: string): Date {
  return parseTime(text) ?? fromNow(text, 1) ?? fail(`${DATE_HINT}, or a duration like 90d or 1y.`);
}

/** Parser for options that set an end. Returns "never" as a string, because commander replaces null with "". */
export function timeOrNever(text: string): Date | "never" {
  return text === "never" ? text : timeOrDuration(text);
}

function fromNow(duration: string, direction: 1 | -1): Date | undefined {
  // A plain number would be seconds, but may be meant as a year.
  const milliseconds = /[a-z]$/.test(duration) ? parseDuration(duration) : undefined;
  const years = /^(\d{1,4})y$/.exec(duration)?.[1];
  if (milliseconds === undefined && years === undefined) return undefined;
  const time = new Date(Math.max(0, Date.now() + direction * (milliseconds ?? 0)));
  // A year is a calendar year, because licences end on the same day of another year.
  if (years !== undefined) time.setUTCFullYear(time.getUTCFullYear() + direction * Number(years));
  return time.getUTCFullYear() < 10_000 ? time : undefined;
}

function fail(message: string): never {
  throw new InvalidArgumentError(message);
}

/** Converts "never" to null, which means no end in the domain. */
export function endOf(value: Date | "never"): Date | null {
  return value === "never" ? null : value;
}
