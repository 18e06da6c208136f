import type { UsageSort } from "@dbdepot/contract/operator/usage";
import type { UsageBy } from "@dbdepot/contract/v2/usage";
import type { Claim } from "../../platform/primitives/claim.ts";
import type { Page, PageRequest } from "../page.ts";
import type { DayTotals, FirstDownload, UsageTotals } from "./usage.ts";

export interface UsageProgress {
  /** The first day whose totals may still change; undefined until the first update. */
  finalUntil: string | undefined;
  /** When the last completed update began. */
  updated: Date | undefined;
}

/** Some organizations and days. */
export interface UsageWindow {
  organizationIds: readonly string[];
  from: string;
  /** Exclusive. */
  to: string;
}

/** The downloads of one day in the history. */
export type CountedDay = Omit<DayTotals, "firstDownloads" | "repeats"> & { granted: number };

export interface Counted {
  days: CountedDay[];
  /** Builds that were not downloaded before the window. */
  firsts: FirstDownload[];
}

export interface StoredUsage {
  days: DayTotals[];
  /** This includes those after the window. */
  firsts: FirstDownload[];
}

export interface UsageChanges {
  put: StoredUsage;
  remove: StoredUsage;
}

/** The totals to report. */
export interface UsageFilter {
  by: UsageBy;
  /** Whether the days add up to whole months, so that the totals of months can be used. */
  isWholeMonths: boolean;
  from: string;
  /** Exclusive. */
  to: string;
  organizationId?: string | undefined;
}

/** One line of a report. */
export interface UsageRow extends UsageTotals {
  organizationId: string;
  organizationName: string;
  /** The day or month; undefined if the line is about the whole period. */
  period: string | undefined;
  /** Undefined if the line is about all databases. */
  datasetId: string | undefined;
  format: string | undefined;
}

export interface UsageStore {
  progress(): Promise<UsageProgress>;
  /** The day of the oldest attempt. */
  oldestDay(): Promise<string | undefined>;
  organizationIds(): Promise<string[]>;
  /** The bytes that an organization downloaded on these days. */
  bytesOf(organizationId: string, days: Pick<UsageWindow, "from" | "to">): Promise<number>;
  /** Returns undefined if the next update is not due, or if another server is busy with it. */
  claim(claim: Claim, now: Date): Promise<UsageProgress | undefined>;
  /** Counts the history. */
  count(window: UsageWindow): Promise<Counted>;
  stored(window: UsageWindow): Promise<StoredUsage>;
  /** Changes days and their months in one transaction, and extends the claim. Returns false if the claim has ended. */
  write(claim: Claim, changes: UsageChanges): Promise<boolean>;
  /** Makes all days before `finalUntil` final, and extends the claim. Returns false if the claim has ended. */
  close(claim: Claim, finalUntil: string): Promise<boolean>;
  /** Ends the claim. The next update is due at `next`. */
  finish(by: string, updated: Date, next: Date): Promise<void>;
  page(filter: UsageFilter, request: PageRequest<UsageSort>): Promise<Page<UsageRow>>;
  totals(filter: UsageFilter, search: string | undefined): Promise<UsageTotals>;
}

declare module "../store.ts" {
  interface Store {
    /** This is not part of `Tables`: totals are derived from the history, so they need no revision. */
    usage: UsageStore;
  }
}
