import { inBytes, inTime } from "./amounts.ts";
import { cut, widthOf } from "./width.ts";

const BAR_COLUMNS_MAX = 24;
/** A shorter bar tells less than its per cents do. */
const BAR_COLUMNS_MIN = 6;
const BAR_FRAME = " []".length;

/** How far something is. */
export interface Reached {
  /** What is being done, like "publishing vpn_ip_v1". */
  label: string;
  done: number;
  /** Undefined when it cannot be known: then it is told how much and how fast, and no more. */
  total: number | undefined;
  perSecond: number;
  /** How amounts are written; left out: in bytes. */
  unit?: ((amount: number) => string) | undefined;
}

/** In words: for a log. */
export function progressText({ label, done, total, perSecond, unit = inBytes }: Reached): string {
  if (!total) return `${label}: ${unit(done)}, ${unit(perSecond)}/s`;
  const percent = Math.floor((100 * done) / total);
  const leftSeconds = perSecond > 0 ? (total - done) / perSecond : 0;
  return `${label}: ${percent} % of ${unit(total)}, ${unit(perSecond)}/s, ${inTime(leftSeconds)} left`;
}

/** In one line of a screen, with a bar if it has room: a line that is broken in two could not be taken back. */
export function progressBar(reached: Reached, columns: number): string {
  const text = progressText(reached);
  const { done, total } = reached;
  // The last column stays free: some terminals go to the next line when it is written to.
  const room = columns - 1 - widthOf(text) - BAR_FRAME;
  if (!total || room < BAR_COLUMNS_MIN) return cut(text, columns - 1);
  const width = Math.min(BAR_COLUMNS_MAX, room);
  const filled = Math.min(width, Math.floor((width * done) / total));
  return `${text} [${"#".repeat(filled)}${".".repeat(width - filled)}]`;
}
