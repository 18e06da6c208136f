import type { UsageBy } from "@dbdepot/contract/v2/usage";
import { type ListState, parseListState } from "../../components/list-state.ts";

const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;
const MONTHS_SHOWN = 24;

/** The part of the URL after "?". */
export interface UsageFilter extends ListState {
  /** The default is by month. */
  by?: Exclude<UsageBy, "month">;
  /** Only this month, such as 2027-01. */
  month?: string;
  /** Only this organization, by id. Only for operators. */
  organization?: string;
}

export function parseUsageFilter(search: Record<string, unknown>): UsageFilter {
  const { by, month, organization } = search;
  return {
    ...parseListState(search),
    ...((by === "day" || by === "database") && { by }),
    ...(typeof month === "string" && MONTH.test(month) && { month }),
    ...(typeof organization === "string" && organization !== "" && { organization }),
  };
}

/** The parameters of the API. Without a month, a report by month or database is about the last twelve months. */
export function periodOf(filter: UsageFilter): { by: UsageBy; from?: string; to?: string } {
  const { month } = filter;
  const by: UsageBy = filter.by ?? "month";
  if (month) return { by, from: `${month}-01`, to: `${monthAfter(month, 1)}-01` };
  return by === "database" ? { by, from: `${monthAfter(thisMonth(), -11)}-01` } : { by };
}

/** The months that can be chosen, newest first. */
export function recentMonths(): string[] {
  return Array.from({ length: MONTHS_SHOWN }, (_, age) => monthAfter(thisMonth(), -age));
}

function thisMonth(): string {
  return new Date().toISOString().slice(0, 7);
}

function monthAfter(month: string, count: number): string {
  const time = new Date(`${month}-01`);
  time.setUTCMonth(time.getUTCMonth() + count);
  return time.toISOString().slice(0, 7);
}
