import { DAY_MS } from "./relative-time.ts";

const DATE = /^\d{4}-\d{2}-\d{2}$/;

export const PERIOD_DAYS = [7, 30, 90, 365] as const;
export const DEFAULT_DAYS = 30;
/** Copied from packages/contract/src/console/history.ts, whose import would pull the schemas into the bundle. */
const USAGE_MAX_DAYS = 400;

/**
 * The part of the URL that says which days are shown, in UTC: the last `days` days, or those between `from` and `to`.
 */
export interface Period {
  days?: (typeof PERIOD_DAYS)[number];
  from?: string;
  /** The last day. */
  to?: string;
}

export function parsePeriod({ days, from, to }: Record<string, unknown>): Period {
  if (isDate(from) && isDate(to) && from <= to) return { from, to };
  const known = PERIOD_DAYS.find((count) => count === days);
  return known !== undefined && known !== DEFAULT_DAYS ? { days: known } : {};
}

function isDate(value: unknown): value is string {
  return typeof value === "string" && DATE.test(value) && !Number.isNaN(Date.parse(value));
}

/** The bounds for the API: `to` is exclusive, and undefined for periods without an end. */
export function boundsOf({ days = DEFAULT_DAYS, from, to }: Period): { from: string; to: string | undefined } {
  if (from === undefined || to === undefined) return { from: dateOf(Date.now() - (days - 1) * DAY_MS), to: undefined };
  return { from, to: dateOf(Date.parse(to) + DAY_MS) };
}

/** Whether new attempts may fall into the period. */
export function isOpen({ to }: Period): boolean {
  return to === undefined || to >= today();
}

/** Whether the period is short enough for a chart. */
export function hasChart({ from, to }: Period): boolean {
  return from === undefined || to === undefined || Date.parse(to) - Date.parse(from) < USAGE_MAX_DAYS * DAY_MS;
}

export function today(): string {
  return dateOf(Date.now());
}

function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
