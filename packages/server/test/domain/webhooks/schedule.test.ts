import { describe, expect, it } from "vitest";
import { hasFailedTooLong, retryAt } from "../../../src/domain/webhooks/schedule.ts";
import { HOUR_MS } from "../../../src/platform/primitives/dates.ts";

const START = new Date("2026-11-17T12:00:00Z");

/** Seconds from the first attempt to each further one, if all fail. */
function attemptTimes(random: number): number[] {
  const times: number[] = [];
  let now = START;
  for (let attempts = 1; ; attempts += 1) {
    const next = retryAt(START, attempts, now, random);
    if (!next) return times;
    times.push((next.getTime() - START.getTime()) / 1000);
    now = next;
  }
}

describe("Retries of an event", () => {
  it("wait three times as long after each failure, up to an hour, and end after 24 hours", () => {
    const times = attemptTimes(0);
    expect(times.slice(0, 8)).toEqual([5, 20, 65, 200, 605, 1820, 5420, 9020]);
    expect(times.at(-1)).toBe(24 * 3600);
  });

  it("vary at random and are up to a fifth earlier", () => {
    expect(attemptTimes(1).slice(0, 3)).toEqual([4, 16, 52]);
    expect(attemptTimes(1).at(-1)).toBe(24 * 3600);
  });
});

describe("A webhook", () => {
  it("has failed for too long after a week", () => {
    expect(hasFailedTooLong(START, new Date(START.getTime() + 7 * 24 * HOUR_MS - 1))).toBe(false);
    expect(hasFailedTooLong(START, new Date(START.getTime() + 7 * 24 * HOUR_MS))).toBe(true);
  });
});
