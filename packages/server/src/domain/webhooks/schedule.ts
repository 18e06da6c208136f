import { DAY_MS, HOUR_MS } from "../../platform/primitives/dates.ts";

const SECOND_MS = 1000;

const FIRST_DELAY_MS = 5 * SECOND_MS;
const GROWTH = 3;
/** Short enough that a receiver that works again gets its events within an hour. */
const MAX_DELAY_MS = HOUR_MS;
/** The random share of a delay, so that receivers that failed together are not called together again. */
const JITTER = 0.2;

const RETRY_MS = DAY_MS;
const DISABLE_AFTER_MS = 7 * DAY_MS;

/**
 * When to send an event again after its `attempts`-th failed attempt: after 5 s, 15 s, 45 s, and so on, up to an hour. The
 * last attempt is made 24 hours after the first. Undefined: dbdepot gives up on the event. `random` is from 0 to 1.
 */
export function retryAt(firstAttempt: Date, attempts: number, now: Date, random: number): Date | undefined {
  const end = firstAttempt.getTime() + RETRY_MS;
  if (now.getTime() >= end) return undefined;
  const delay = Math.min(FIRST_DELAY_MS * GROWTH ** (attempts - 1), MAX_DELAY_MS) * (1 - JITTER * random);
  return new Date(Math.min(now.getTime() + delay, end));
}

/** Whether a webhook has failed for so long that it is disabled. */
export function hasFailedTooLong(failingSince: Date, now: Date): boolean {
  return now.getTime() - failingSince.getTime() >= DISABLE_AFTER_MS;
}
