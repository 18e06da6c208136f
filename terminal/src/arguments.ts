/** A value that an option does not take. Its message is for the one who typed it. */
export class OptionFault extends Error {}

export function integerOption(name: string, text: string, minimum: number, maximum: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= minimum && value <= maximum)) {
    throw new OptionFault(`--${name}: "${text}" is no whole number from ${minimum} to ${maximum}`);
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
  if (choice === undefined) throw new OptionFault(`--${name}: "${text}" is none of ${choices.join(", ")}`);
  return choice;
}

/** "a, b" */
export function parseList(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
