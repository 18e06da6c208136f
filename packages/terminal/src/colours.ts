export interface Colours {
  green(text: string): string;
  red(text: string): string;
  yellow(text: string): string;
  dim(text: string): string;
}

const CODES = { green: 32, red: 31, yellow: 33, dim: 2 } as const;
/** Matches the sequences that switch a colour on or off. It is one group, so that `split` keeps them. */
export const COLOUR_SEQUENCE = new RegExp(`(\x1b\\[(?:0|${Object.values(CODES).join("|")})m)`);

/**
 * Colours for a terminal of the given width; plain text if `columns` is undefined or NO_COLOR is set
 * (https://no-color.org).
 */
export function coloursFor(columns: number | undefined, env: Record<string, string | undefined>): Colours {
  const isEnabled = columns !== undefined && !env.NO_COLOR && env.TERM !== "dumb";
  const paint = (code: number) => (text: string) => (isEnabled ? `\x1b[${code}m${text}\x1b[0m` : text);
  return { green: paint(CODES.green), red: paint(CODES.red), yellow: paint(CODES.yellow), dim: paint(CODES.dim) };
}
