import type { DatabaseMetadata } from "@dbdepot/contract/v2/metadata";
import { DAY_MS, HOUR_MS } from "../../platform/primitives/dates.ts";
import type { Build } from "./build.ts";

const UNITS_MS: Record<string, number> = {
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 31 * DAY_MS,
  quarter: 92 * DAY_MS,
  year: 366 * DAY_MS,
};
const ADVERBS = new Map([
  ["hourly", "hour"],
  ["daily", "day"],
  ["nightly", "day"],
  ["weekly", "week"],
  ["monthly", "month"],
  ["quarterly", "quarter"],
  ["yearly", "year"],
  ["annually", "year"],
]);
const EVERY = /^(?:every|each|once an?|once every|once per) ?(\d{1,4})? ?(hour|day|week|month|quarter|year)s?$/;
/** A daily build may take 26 hours, like in the Prometheus alert. */
const TOLERANCE = 26 / 24;

/** The `update_freq` of a build's metadata document, or null if it has none. */
export function updateFrequencyOf({ metadata }: Build): string | null {
  return (JSON.parse(metadata.toString("utf8")) as DatabaseMetadata).update_freq ?? null;
}

/**
 * When the next build should have replaced the current one, by its `update_freq` such as "daily" or "every 6 hours".
 * Null if it does not name an interval.
 */
export function dueAt(build: Build): Date | null {
  const intervalMs = intervalOf(updateFrequencyOf(build) ?? "");
  if (intervalMs === undefined || build.published === null) return null;
  return new Date(build.published.getTime() + intervalMs * TOLERANCE);
}

function intervalOf(frequency: string): number | undefined {
  const text = frequency.trim().toLowerCase();
  const adverb = ADVERBS.get(text);
  const [, count = "1", unit = adverb] = EVERY.exec(text) ?? [];
  return unit === undefined || Number(count) === 0 ? undefined : Number(count) * (UNITS_MS[unit] ?? 0);
}
