import { claimant } from "../../platform/primitives/claim.ts";
import type { Clock } from "../../platform/primitives/clock.ts";
import { utcDayOf } from "../../platform/primitives/dates.ts";
import { addDays } from "./days.ts";
import type { Counted, StoredUsage, UsageChanges, UsageProgress, UsageStore } from "./store.ts";
import type { DayTotals, FirstDownload } from "./usage.ts";

/** Attempts that were spooled during an outage may arrive late. After this many days, a day is final. */
const FINAL_AFTER_DAYS = 3;
const INTERVAL_MS = 60_000;
/** Keeps the database free for downloads: an update may take a tenth of the time. */
const REST_FACTOR = 10;
/** How much is counted at a time. On SQLite, other queries wait meanwhile. */
const ORGANIZATIONS_AT_ONCE = 200;
const DAYS_AT_ONCE = 7;

interface UpdateOptions {
  usage: UsageStore;
  clock: Clock;
  /** Unique for the process. */
  by: string;
  signal?: AbortSignal;
}

/**
 * Counts the history and stores the totals of all days that are not final. Days become final once they have been counted
 * after their time. It may be interrupted anywhere: the next update counts the same days again. Returns whether it has updated the
 * totals, which it does not if another server does, or has just done so.
 */
export async function updateUsage({ usage, clock, by, signal }: UpdateOptions): Promise<boolean> {
  const now = clock();
  const today = utcDayOf(now);
  const startMs = performance.now();
  const claim = claimant(clock, by);
  // Before the first attempt there is nothing to count.
  const oldest = await firstDay(usage);
  const progress = oldest === undefined ? undefined : await usage.claim(claim(), now);
  if (oldest === undefined || !progress) return false;

  const isComplete = isNewHour(progress, now);
  const end = addDays(today, 1);
  const closing = addDays(today, -FINAL_AFTER_DAYS);
  const finalUntil = progress.finalUntil ?? oldest;
  let from = isComplete || finalUntil > today ? finalUntil : today;
  while (from < end) {
    const to = earlier(addDays(from, DAYS_AT_ONCE), end);
    for (const organizationIds of batches(await usage.organizationIds())) {
      if (signal?.aborted) return false;
      const window = { organizationIds, from, to };
      const counted = await usage.count(window);
      const changes = changesTo(await usage.stored(window), counted, to);
      if (!(await usage.write(claim(), changes))) return false;
    }
    from = to;
    const final = earlier(to, closing);
    if (isComplete && final > finalUntil && !(await usage.close(claim(), final))) return false;
  }
  const restMs = Math.max(INTERVAL_MS, REST_FACTOR * (performance.now() - startMs));
  await usage.finish(by, now, new Date(clock().getTime() + restMs));
  return true;
}

async function firstDay(usage: UsageStore): Promise<string | undefined> {
  return (await usage.progress()).finalUntil ?? (await usage.oldestDay());
}

/** Today is counted at every update. The days before it hardly change, so they are counted with the first update of an hour. */
function isNewHour({ finalUntil, updated }: UsageProgress, now: Date): boolean {
  return finalUntil === undefined || updated?.toISOString().slice(0, 13) !== now.toISOString().slice(0, 13);
}

function earlier(one: string, other: string): string {
  return one < other ? one : other;
}

function* batches(ids: readonly string[]): Generator<string[]> {
  for (let first = 0; first < ids.length; first += ORGANIZATIONS_AT_ONCE) {
    yield ids.slice(first, first + ORGANIZATIONS_AT_ONCE);
  }
}

/** Returns what to change so that the stored totals equal those counted in a window that ends before the day `to`. */
function changesTo(stored: StoredUsage, counted: Counted, to: string): UsageChanges {
  const days = difference(stored.days, daysOf(counted), dayKey, isSameDay);
  const firsts = difference(stored.firsts, counted.firsts, firstKey, (one, other) => one.day === other.day);
  return {
    put: { days: days.put, firsts: firsts.put },
    // Later builds are counted with their own window.
    remove: { days: days.remove, firsts: firsts.remove.filter(({ day }) => day < to) },
  };
}

function daysOf({ days, firsts }: Counted): DayTotals[] {
  const firstDownloads = new Map<string, number>();
  for (const first of firsts) firstDownloads.set(dayKey(first), (firstDownloads.get(dayKey(first)) ?? 0) + 1);
  return days.map(({ granted, ...day }) => {
    const first = firstDownloads.get(dayKey(day)) ?? 0;
    return { ...day, firstDownloads: first, repeats: granted - first };
  });
}

function dayKey({ organizationId, day, datasetId, format }: Omit<FirstDownload, "buildId">): string {
  return `${organizationId} ${day} ${datasetId} ${format}`;
}

function firstKey({ organizationId, datasetId, format, buildId }: FirstDownload): string {
  return `${organizationId} ${datasetId} ${format} ${buildId}`;
}

function isSameDay(one: DayTotals, other: DayTotals): boolean {
  return (
    one.firstDownloads === other.firstDownloads &&
    one.repeats === other.repeats &&
    one.refused === other.refused &&
    one.bytes === other.bytes &&
    one.savedBytes === other.savedBytes &&
    one.keys === other.keys &&
    one.addresses === other.addresses
  );
}

function difference<T>(
  stored: readonly T[],
  wanted: readonly T[],
  keyOf: (item: T) => string,
  isSame: (one: T, other: T) => boolean,
): { put: T[]; remove: T[] } {
  const before = new Map(stored.map((item) => [keyOf(item), item]));
  const after = new Set(wanted.map(keyOf));
  return {
    put: wanted.filter((item) => {
      const old = before.get(keyOf(item));
      return !old || !isSame(old, item);
    }),
    remove: stored.filter((item) => !after.has(keyOf(item))),
  };
}
