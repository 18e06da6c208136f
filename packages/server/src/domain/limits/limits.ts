import type { ErrorCode } from "@dbdepot/contract/shared/errors";
import type { Outcome } from "@dbdepot/contract/v2/downloads";
import { LIMIT_MAX, LIMIT_NAMES, type LimitName } from "@dbdepot/contract/v2/limits";
import { invalid } from "../../platform/primitives/faults.ts";

/** The most that an organization may use. Null means no limit. */
export type Limits = Readonly<Record<LimitName, number | null>>;

export const NO_LIMITS: Limits = {
  requests_per_minute: null,
  downloads_per_day: null,
  bytes_per_month: null,
  parallel_streams: null,
};

export function hasLimits(limits: Limits): boolean {
  return LIMIT_NAMES.some((name) => limits[name] !== null);
}

/** Fields that are undefined keep their values. */
export function changedLimits(before: Limits, change: Partial<Limits>): Limits {
  const after = { ...before };
  for (const name of LIMIT_NAMES) {
    const value = change[name];
    if (value === undefined) continue;
    if (value !== null) requireLimit(name, value);
    after[name] = value;
  }
  return after;
}

export function requireLimit(name: LimitName, value: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= LIMIT_MAX) return;
  throw invalid(`${name} must be a whole number from 1 to ${LIMIT_MAX}; an empty value removes the limit`);
}

/** What has been used of the limits that are counted over a period. */
export interface Consumption {
  /** Granted downloads of the day. */
  downloads: number;
  /** Total size of the files that were granted in the month. */
  bytes: number;
}

export type LimitRefusal = "downloads_used_up" | "bytes_used_up" | "too_many_streams";

/** The limit, the result code, the outcome in the history and a description of each refusal. */
export const LIMIT_REFUSALS: Record<
  LimitRefusal,
  { limit: LimitName; rc: ErrorCode; outcome: Outcome; words: string }
> = {
  downloads_used_up: {
    limit: "downloads_per_day",
    rc: "DOWNLOADS_USED_UP",
    outcome: "unavailable",
    words: "the organization has used all its downloads for the day",
  },
  bytes_used_up: {
    limit: "bytes_per_month",
    rc: "BYTES_USED_UP",
    outcome: "unavailable",
    words: "the file is larger than the organization's remaining bytes for the month",
  },
  too_many_streams: {
    limit: "parallel_streams",
    rc: "TOO_MANY_STREAMS",
    outcome: "unavailable",
    words: "the organization was receiving too many files at the same time",
  },
};

/** A file that is about to be sent. */
export interface Use {
  bytes: number;
  /** False for a part of a file, which continues a download. */
  isDownload: boolean;
}

/** Whether an organization that has used this much may download another file. No limit is ever exceeded. */
export function decideUse(
  limits: Limits,
  used: Consumption,
  { bytes: more, isDownload }: Use,
): LimitRefusal | undefined {
  const { downloads_per_day: downloads, bytes_per_month: bytes } = limits;
  if (isDownload && downloads !== null && used.downloads + 1 > downloads) return "downloads_used_up";
  if (bytes !== null && used.bytes + more > bytes) return "bytes_used_up";
  return undefined;
}

/** The responses that count as downloads, here and in the history: a whole file, or a link to one. */
export const DOWNLOAD_STATUSES: readonly number[] = [200, 302];

export interface Period {
  start: Date;
  /** Exclusive. */
  end: Date;
}

/** The day of a time, in UTC. */
export function dayOf(time: Date): Period {
  const [year, month, day] = [time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate()];
  return { start: new Date(Date.UTC(year, month, day)), end: new Date(Date.UTC(year, month, day + 1)) };
}

/** The month of a time, in UTC. */
export function monthOf(time: Date): Period {
  const [year, month] = [time.getUTCFullYear(), time.getUTCMonth()];
  return { start: new Date(Date.UTC(year, month, 1)), end: new Date(Date.UTC(year, month + 1, 1)) };
}

/** The seconds until a refused request may succeed. */
export function retryAfterSeconds(refusal: LimitRefusal, now: Date): number {
  if (refusal === "too_many_streams") return STREAM_RETRY_SECONDS;
  const { end } = refusal === "downloads_used_up" ? dayOf(now) : monthOf(now);
  return Math.ceil((end.getTime() - now.getTime()) / 1000);
}

const STREAM_RETRY_SECONDS = 10;
