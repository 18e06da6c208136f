import { InvalidArgumentError } from "./command.ts";
import { formatDuration, parseDuration } from "./duration.ts";

/** Parser for an option or argument that expects an integer. */
export function integer(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return value;
    throw new InvalidArgumentError(`Must be a whole number from ${minimum} to ${maximum}.`);
  };
}

/** Parser for an option that expects a duration of whole seconds. Returns seconds. */
export function durationSeconds(maximumSeconds: number): (text: string) => number {
  return (text) => {
    const milliseconds = parseDuration(text);
    if (milliseconds !== undefined && milliseconds % 1000 === 0 && milliseconds <= maximumSeconds * 1000) {
      return milliseconds / 1000;
    }
    const longest = formatDuration(maximumSeconds * 1000);
    throw new InvalidArgumentError(`Must be a duration like 90s, 1h or 7d, at most ${longest}.`);
  };
}

/** Splits "a, b" into ["a", "b"]. */
export function parseList(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** Parser for a comma-separated list of which every item must be one of `choices`. */
export function listOf<const T extends string>(choices: readonly T[]): (text: string) => T[] {
  return (text) =>
    parseList(text).map((item) => {
      const choice = choices.find((candidate) => candidate === item);
      if (choice === undefined) throw new InvalidArgumentError(`Allowed values are ${choices.join(", ")}.`);
      return choice;
    });
}
