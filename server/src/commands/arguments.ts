import { parseTime } from "../dates.ts";
import { invalid } from "../faults.ts";

export function timeOption(name: string, text: string): Date;
export function timeOption(name: string, text: string | undefined): Date | undefined;
export function timeOption(name: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const time = parseTime(text);
  if (!time) throw invalid(`--${name}: "${text}" is no date: write it like 2027-01-31 or 2027-01-31T12:00:00Z`);
  return time;
}

/** As `timeOption`; "never" takes an end away. */
export function endOption(name: string, text: string | undefined): Date | null | undefined {
  return text === "never" ? null : timeOption(name, text);
}

export function integerOption(name: string, text: string, minimum: number, maximum: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= minimum && value <= maximum)) {
    throw invalid(`--${name}: "${text}" is no whole number from ${minimum} to ${maximum}`);
  }
  return value;
}

export function choiceOption<const T extends string>(
  name: string,
  text: string | undefined,
  choices: readonly T[],
): T | undefined {
  if (text === undefined) return undefined;
  const choice = choices.find((candidate) => candidate === text);
  if (choice === undefined) throw invalid(`--${name}: "${text}" is none of ${choices.join(", ")}`);
  return choice;
}
