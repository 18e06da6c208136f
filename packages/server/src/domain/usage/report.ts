import { USAGE_ALL_MAX_DAYS } from "@dbdepot/contract/operator/usage";
import { USAGE_REPORT_MAX_DAYS, type UsageBy } from "@dbdepot/contract/v2/usage";
import { requireTime, utcDayOf } from "../../platform/primitives/dates.ts";
import { invalid } from "../../platform/primitives/faults.ts";
import { addDays, daysBetween, firstOfMonth, startOf } from "./days.ts";
import type { UsageFilter, UsageProgress, UsageRow } from "./store.ts";

interface UsageRequest {
  /** A date or time. */
  from?: string | undefined;
  to?: string | undefined;
  by?: UsageBy | undefined;
}

/**
 * The days of a report. A report by month has whole months, whatever was asked for. Only totals of days limit the period,
 * because there are many of them.
 */
export function usageFilter(
  { from, to, by = "month" }: UsageRequest,
  organizationId: string | undefined,
  now: Date,
): UsageFilter {
  const tomorrow = addDays(utcDayOf(now), 1);
  const end = dayAtOrAfter(requireTime("to", to)) ?? tomorrow;
  const lastDay = addDays(end, -1);
  const start =
    from === undefined ? firstOfMonth(lastDay, by === "month" ? -11 : 0) : utcDayOf(requireTime("from", from));
  if (end <= start) throw invalid("to must be later than from");
  if (by === "month") {
    return { by, isWholeMonths: true, from: firstOfMonth(start), to: firstOfMonth(lastDay, 1), organizationId };
  }
  // Days after today have no totals, so the current month is a whole one too.
  const isToMonthEnd = end === firstOfMonth(end) || end >= tomorrow;
  const isWholeMonths = by === "database" && start === firstOfMonth(start) && isToMonthEnd;
  if (isWholeMonths) return { by, isWholeMonths, from: start, to: firstOfMonth(lastDay, 1), organizationId };
  const maxDays = organizationId === undefined ? USAGE_ALL_MAX_DAYS : USAGE_REPORT_MAX_DAYS;
  if (daysBetween(start, end) > maxDays) throw invalid(tooLong(by, maxDays, organizationId));
  return { by, isWholeMonths, from: start, to: end, organizationId };
}

function tooLong(by: UsageBy, maxDays: number, organizationId: string | undefined): string {
  const remedies = [
    ...(by === "database" ? ["choose whole months"] : ["report by month"]),
    ...(organizationId === undefined ? ["choose one organization"] : []),
  ];
  return `a report by ${by} must not exceed ${maxDays} days: ${remedies.join(", or ")}`;
}

function dayAtOrAfter(time: Date | undefined): string | undefined {
  if (!time) return undefined;
  const day = utcDayOf(time);
  return startOf(day).getTime() === time.getTime() ? day : addDays(day, 1);
}

/** Whether the numbers of a line can no longer change. */
export function isClosed({ by, to }: UsageFilter, { period = "" }: UsageRow, { finalUntil }: UsageProgress): boolean {
  if (finalUntil === undefined) return false;
  if (by === "day") return period < finalUntil;
  return (by === "month" ? firstOfMonth(`${period}-01`, 1) : to) <= finalUntil;
}
