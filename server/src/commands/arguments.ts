import { OptionFault } from "@dbdepot/terminal/arguments";
import { parseTime } from "../dates.ts";

export function timeOption(name: string, text: string): Date;
export function timeOption(name: string, text: string | undefined): Date | undefined;
export function timeOption(name: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const time = parseTime(text);
  if (!time) throw new OptionFault(`--${name}: "${text}" is no date: write it like 2027-01-31 or 2027-01-31T12:00:00Z`);
  return time;
}

/** As `timeOption`; "never" takes an end away. */
export function endOption(name: string, text: string | undefined): Date | null | undefined {
  return text === "never" ? null : timeOption(name, text);
}
