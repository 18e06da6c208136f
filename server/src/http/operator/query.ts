import { parseTime } from "../../dates.ts";
import { invalid } from "../../faults.ts";

/** A moment as it was sent, or the fault that it is none. */
export function moment(name: string, text: string): Date;
export function moment(name: string, text: string | undefined): Date | undefined;
export function moment(name: string, text: string | null | undefined): Date | null | undefined;
export function moment(name: string, text: string | null | undefined): Date | null | undefined {
  if (text === undefined || text === null) return text;
  const time = parseTime(text);
  if (!time) throw invalid(`${name}: "${text}" is no date: write it like 2027-01-31 or 2027-01-31T12:00:00Z`);
  return time;
}
