import { inBytes, inTime } from "./amounts.ts";
import { cut, padded, widthOf } from "./width.ts";

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
  return `${label}: ${percent(done, total)} of ${unit(total)}, ${unit(perSecond)}/s, ${timeLeft({ done, total, perSecond })}`;
}

/**
 * In one line of a screen, with a bar if it has room: a line that is broken in two could not be taken back. Bars of
 * several lines stand below each other if their texts are given the same room.
 */
export function progressBar(reached: Reached, columns: number, textColumns = 0): string {
  const { label, done, total, perSecond } = reached;
  const text = padded(progressText(reached), textColumns);
  // The last column stays free: some terminals go to the next line when it is written to.
  const room = columns - 1 - widthOf(text) - BAR_FRAME;
  if (total && room >= BAR_COLUMNS_MIN) {
    const width = Math.min(BAR_COLUMNS_MAX, room);
    const filled = Math.min(width, Math.floor((width * done) / total));
    return `${text} [${"#".repeat(filled)}${".".repeat(width - filled)}]`;
  }
  if (!total || widthOf(text.trimEnd()) < columns) return cut(text.trimEnd(), columns - 1);
  return cut(`${label}: ${percent(done, total)}, ${timeLeft({ done, total, perSecond })}`, columns - 1);
}

function percent(done: number, total: number): string {
  return `${Math.floor((100 * done) / total)} %`;
}

function timeLeft({ done, total, perSecond }: { done: number; total: number; perSecond: number }): string {
  return `${inTime(perSecond > 0 ? (total - done) / perSecond : 0)} left`;
}
