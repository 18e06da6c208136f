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

/** The part that has been used of the limits that are counted over a period. */
export interface Consumption {
  /** Granted downloads of the day. */
  downloads: number;
  /** Total size of the files that were granted in the month. */
  bytes: number;
}

/** The downloads and streams that count for the limits of an organization, across all processes. */
export interface Counted {
  /** Counted from the history. */
  history: Consumption;
  /** Reserved for single downloads that are not in the history yet. */
  reserved: Consumption;
  /** Reserved ahead. Some of these downloads may be in the history already. */
  ahead: Consumption;
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
  /** False for a later part of a file, which continues a download. */
  isDownload: boolean;
}

/** Whether an organization that has used this much may download another file. */
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

/** The share of a limit up to which processes reserve downloads ahead, and how much they reserve at a time. */
const AHEAD_UNTIL = 0.9;
const AHEAD_SHARE = 0.01;

export type ReservationDecision =
  | {
      refusal: LimitRefusal;
      /** Whether only downloads that were reserved ahead, and may not be granted, stand in the way. */
      isTemporary: boolean;
      history: Consumption;
    }
  /** The amount to reserve for this download and further ones; undefined for this one only. */
  | { refusal?: undefined; ahead: Consumption | undefined };

/** Decides whether to reserve a download. Further ones are reserved only while plenty of each limit is left. */
export function decideReservation(
  limits: Limits,
  { history, reserved, ahead }: Counted,
  use: Use,
): ReservationDecision {
  const certain = { ...history };
  add(certain, reserved, 1);
  const used = { ...certain };
  add(used, ahead, 1);
  const refusal = decideUse(limits, used, use);
  if (refusal) return { refusal, isTemporary: !decideUse(limits, certain, use), history };
  const share = (limit: number | null) => Math.floor((limit ?? 0) * AHEAD_SHARE);
  const amount = { downloads: share(limits.downloads_per_day), bytes: share(limits.bytes_per_month) };
  const left = {
    downloads: (limits.downloads_per_day ?? 0) * AHEAD_UNTIL - used.downloads,
    bytes: (limits.bytes_per_month ?? 0) * AHEAD_UNTIL - used.bytes,
  };
  return { ahead: covers(limits, amount, sizeOf(use)) && covers(limits, left, amount) ? amount : undefined };
}

/** Whether an amount suffices, as far as it is limited. */
export function covers(limits: Limits, amount: Consumption, size: Consumption): boolean {
  return (
    (limits.downloads_per_day === null || amount.downloads >= size.downloads) &&
    (limits.bytes_per_month === null || amount.bytes >= size.bytes)
  );
}

export function sizeOf({ isDownload, bytes }: Use): Consumption {
  return { downloads: isDownload ? 1 : 0, bytes };
}

export function add(to: Consumption, amount: Consumption, sign: 1 | -1): void {
  to.downloads += sign * amount.downloads;
  to.bytes += sign * amount.bytes;
}

/** The responses that count as downloads, here and in the history: a whole file, or a link to one. So does a part that begins a file. */
export const DOWNLOAD_STATUSES: readonly number[] = [200, 302];

export interface Period {
  start: Date;
  /** Exclusive. */
  end: Date;
}

/** The day of a time, in UTC. */
export function dayPeriod(time: Date): Period {
  const [year, month, day] = [time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate()];
  return { start: new Date(Date.UTC(year, month, day)), end: new Date(Date.UTC(year, month, day + 1)) };
}

/** The month of a time, in UTC. */
export function monthPeriod(time: Date): Period {
  const [year, month] = [time.getUTCFullYear(), time.getUTCMonth()];
  return { start: new Date(Date.UTC(year, month, 1)), end: new Date(Date.UTC(year, month + 1, 1)) };
}

/** The seconds until a refused request may succeed. */
export function retryAfterSeconds(refusal: LimitRefusal, now: Date): number {
  if (refusal === "too_many_streams") return STREAM_RETRY_SECONDS;
  const { end } = refusal === "downloads_used_up" ? dayPeriod(now) : monthPeriod(now);
  return Math.ceil((end.getTime() - now.getTime()) / 1000);
}

const STREAM_RETRY_SECONDS = 10;
