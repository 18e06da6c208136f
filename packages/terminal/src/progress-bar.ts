import { formatBytes, formatSeconds } from "./format.ts";
import { displayWidth, pad, truncate } from "./width.ts";

const BAR_COLUMNS_MAX = 24;
/** A shorter bar would be less precise than the percentage. */
const BAR_COLUMNS_MIN = 6;
const BAR_FRAME = " []".length;

export interface TaskState {
  /** Describes the task, like "publishing vpn_ip_v1". */
  label: string;
  done: number;
  /** Undefined if unknown: then only amount and speed are shown. */
  total: number | undefined;
  perSecond: number;
  /** How to format amounts (default: bytes). */
  unit?: ((amount: number) => string) | undefined;
}

/** The state in words, for logs. */
export function progressText({ label, done, total, perSecond, unit = formatBytes }: TaskState): string {
  if (!total) return `${label}: ${unit(done)}, ${unit(perSecond)}/s`;
  return `${label}: ${percent(done, total)} of ${unit(total)}, ${unit(perSecond)}/s, ${timeLeft({ done, total, perSecond })}`;
}

/**
 * The state in exactly one line of the terminal, with a bar if there is room: a line that wraps could not be erased.
 * `textColumns` pads the text, so that the bars of several lines are aligned.
 */
export function progressBar(state: TaskState, columns: number, textColumns = 0): string {
  const { label, done, total, perSecond } = state;
  const text = pad(progressText(state), textColumns);
  // The last column stays empty: some terminals wrap when it is written to.
  const room = columns - 1 - displayWidth(text) - BAR_FRAME;
  if (total && room >= BAR_COLUMNS_MIN) {
    const width = Math.min(BAR_COLUMNS_MAX, room);
    const filled = Math.min(width, Math.floor((width * done) / total));
    return `${text} [${"#".repeat(filled)}${".".repeat(width - filled)}]`;
  }
  if (!total || displayWidth(text.trimEnd()) < columns) return truncate(text.trimEnd(), columns - 1);
  return truncate(`${label}: ${percent(done, total)}, ${timeLeft({ done, total, perSecond })}`, columns - 1);
}

function percent(done: number, total: number): string {
  return `${Math.floor((100 * done) / total)} %`;
}

function timeLeft({ done, total, perSecond }: { done: number; total: number; perSecond: number }): string {
  return `${formatSeconds(perSecond > 0 ? (total - done) / perSecond : 0)} left`;
}
