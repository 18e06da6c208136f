/** What colours say. Without them the words say it alone. */
export interface Colours {
  good(text: string): string;
  bad(text: string): string;
  doubtful(text: string): string;
  aside(text: string): string;
}

const CODES = { good: 32, bad: 31, doubtful: 33, aside: 2 } as const;

/** For output to a screen of so many columns; undefined is no screen. See https://no-color.org. */
export function coloursFor(columns: number | undefined, environment: Record<string, string | undefined>): Colours {
  const isOn = columns !== undefined && !environment.NO_COLOR && environment.TERM !== "dumb";
  const paint = (code: number) => (text: string) => (isOn ? `\x1b[${code}m${text}\x1b[0m` : text);
  return { good: paint(CODES.good), bad: paint(CODES.bad), doubtful: paint(CODES.doubtful), aside: paint(CODES.aside) };
}
