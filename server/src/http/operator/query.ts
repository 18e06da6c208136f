import { parseTime } from "../../primitives/dates.ts";
import { invalid } from "../../primitives/faults.ts";

/** Parses a time; throws a fault if it is invalid. */
export function moment(name: string, text: string): Date;
export function moment(name: string, text: string | undefined): Date | undefined;
export function moment(name: string, text: string | null | undefined): Date | null | undefined;
export function moment(name: string, text: string | null | undefined): Date | null | undefined {
  if (text === undefined || text === null) return text;
  const time = parseTime(text);
  if (!time) throw invalid(`${name}: "${text}" is not a date: use 2027-01-31 or 2027-01-31T12:00:00Z`);
  return time;
}
