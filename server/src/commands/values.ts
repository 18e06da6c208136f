import { InvalidArgumentError } from "@dbdepot/terminal/command";
import { parseTime } from "../primitives/dates.ts";

/** Parser for options that take a point in time. */
export function time(text: string): Date {
  const parsed = parseTime(text);
  if (!parsed) throw new InvalidArgumentError("Write a date like 2027-01-31 or 2027-01-31T12:00:00Z.");
  return parsed;
}

/** Parser for options that take the end of something. (Commander replaces null by "", so "never" stays a string.) */
export function timeOrNever(text: string): Date | "never" {
  return text === "never" ? text : time(text);
}

/** The end as the domain has it: null if it never ends. */
export function endOf(value: Date | "never"): Date | null {
  return value === "never" ? null : value;
}
