import { DAY_MS } from "./relative-time.ts";

const YEAR_MS = 365 * DAY_MS;
const STEPS_IN_MONTHS = [1, 3, 6, 12];
const MAX_TICKS = 7;

export interface TimeAxis {
  /** From 0 at the left edge to 100 at the right one. Times beyond an edge are on it. */
  positionOf(time: number): number;
  ticks: { position: number; label: string }[];
}

/** An axis in UTC that shows all given times and today, but no more than three years before and after it. */
export function timeAxis(times: readonly number[], now: number): TimeAxis {
  const from = Math.max(Math.min(now - 60 * DAY_MS, ...times), now - 3 * YEAR_MS);
  const to = Math.min(Math.max(now + 180 * DAY_MS, ...times), now + 3 * YEAR_MS);
  const margin = (to - from) * 0.02;
  const [start, end] = [from - margin, to + margin];
  const positionOf = (time: number) => Math.min(100, Math.max(0, ((time - start) / (end - start)) * 100));
  return { positionOf, ticks: ticksBetween(start, end).map((tick) => ({ ...tick, position: positionOf(tick.time) })) };
}

function ticksBetween(start: number, end: number): { time: number; label: string }[] {
  const candidates = STEPS_IN_MONTHS.map((months) => firstsOfMonths(start, end, months));
  return candidates.find((ticks) => ticks.length <= MAX_TICKS) ?? candidates.at(-1) ?? [];
}

function firstsOfMonths(start: number, end: number, step: number): { time: number; label: string }[] {
  const ticks = [];
  const month = new Date(Date.UTC(new Date(start).getUTCFullYear(), 0, 1));
  for (; month.getTime() < end; month.setUTCMonth(month.getUTCMonth() + step)) {
    if (month.getTime() < start) continue;
    const isJanuary = month.getUTCMonth() === 0;
    const label = isJanuary
      ? String(month.getUTCFullYear())
      : month.toLocaleDateString(undefined, { month: "short", timeZone: "UTC" });
    ticks.push({ time: month.getTime(), label });
  }
  return ticks;
}
