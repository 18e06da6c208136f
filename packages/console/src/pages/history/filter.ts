import type { OutcomeFilter } from "@dbdepot/contract/v2/downloads";
import { type Period, parsePeriod } from "../../components/period.ts";
import { OUTCOME_NAMES } from "./outcomes.ts";

/** The part of the URL after "?". */
export interface HistoryFilter extends Period {
  outcome?: OutcomeFilter;
  database?: string;
  key?: string;
  /** Only for operators. */
  organization?: string;
  /** The id of a request. */
  request?: string;
  /** The id of the attempt whose details are open. */
  attempt?: string;
}

export function parseHistoryFilter(search: Record<string, unknown>): HistoryFilter {
  const { outcome, database, key, organization, request, attempt } = search;
  return {
    ...parsePeriod(search),
    ...(isOutcome(outcome) && { outcome }),
    ...(isText(database) && { database }),
    ...(isText(key) && { key }),
    ...(isText(organization) && { organization }),
    ...(isText(request) && { request }),
    ...(isText(attempt) && { attempt }),
  };
}

/** The filter with another period. */
export function withPeriod({ days, from, to, ...filter }: HistoryFilter, period: Period): HistoryFilter {
  return { ...filter, ...period };
}

/** Customers see their own organization only. */
export function withoutOperatorFilters({ organization, ...filter }: HistoryFilter): HistoryFilter {
  return filter;
}

function isOutcome(value: unknown): value is OutcomeFilter {
  return typeof value === "string" && value in OUTCOME_NAMES;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
