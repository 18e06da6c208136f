import { describe, expect, it, vi } from "vitest";
import {
  changedLimits,
  decideUse,
  hasLimits,
  type Limits,
  NO_LIMITS,
  retryAfterSeconds,
} from "../../../src/domain/limits/limits.ts";
import { limitUses, readConsumption } from "../../../src/domain/limits/use.ts";
import { limitReason, limitsFinding } from "../../../src/domain/limits/words.ts";
import type { Store } from "../../../src/domain/store.ts";

const NOW = new Date("2027-03-10T18:00:00Z");
const LIMITS: Limits = { ...NO_LIMITS, downloads_per_day: 3, bytes_per_month: 5_000_000_000 };
const USED = { downloads: 2, bytes: 4_000_000_000 };

describe("changedLimits", () => {
  it("changes the limits that are given, and removes those that are null", () => {
    expect(changedLimits(LIMITS, { downloads_per_day: 1, bytes_per_month: null, parallel_streams: 1e15 })).toEqual({
      requests_per_minute: null,
      downloads_per_day: 1,
      bytes_per_month: null,
      parallel_streams: 1e15,
    });
    expect(changedLimits(LIMITS, {})).toEqual(LIMITS);
    expect([hasLimits(LIMITS), hasLimits(NO_LIMITS)]).toEqual([true, false]);
  });

  it.each([0, -1, 1.5, Number.NaN, 1e15 + 1])("refuses %d", (value) => {
    expect(() => changedLimits(NO_LIMITS, { parallel_streams: value })).toThrow("parallel_streams must be a whole");
  });
});

describe("decideUse", () => {
  it.each([
    ["the last download", { bytes: 1, isDownload: true }, undefined],
    ["exactly the remaining bytes", { bytes: 1_000_000_000, isDownload: true }, undefined],
    ["one byte more", { bytes: 1_000_000_001, isDownload: true }, "bytes_used_up"],
  ] as const)("decides on %s", (_, use, refusal) => {
    expect(decideUse(LIMITS, USED, use)).toBe(refusal);
    expect(decideUse(NO_LIMITS, USED, use)).toBeUndefined();
  });

  it("lets a download continue when all downloads are used, but not without bytes", () => {
    const all = { ...USED, downloads: 3 };
    expect(decideUse(LIMITS, all, { bytes: 1, isDownload: true })).toBe("downloads_used_up");
    expect(decideUse(LIMITS, all, { bytes: 1, isDownload: false })).toBeUndefined();
    expect(decideUse(LIMITS, all, { bytes: 2e9, isDownload: false })).toBe("bytes_used_up");
  });
});

it("says how long to wait", () => {
  expect(retryAfterSeconds("downloads_used_up", NOW)).toBe(6 * 3600);
  expect(retryAfterSeconds("bytes_used_up", NOW)).toBe(21 * 86_400 + 6 * 3600);
  expect(retryAfterSeconds("too_many_streams", NOW)).toBe(10);
});

describe("what is used of limits", () => {
  it("has the limits that are set, and when they reset", () => {
    expect(limitUses({ ...LIMITS, requests_per_minute: 5, parallel_streams: 4 }, USED, undefined, NOW)).toEqual([
      { limit: "requests_per_minute", allowed: 5, used: null, resets: null },
      { limit: "downloads_per_day", allowed: 3, used: 2, resets: "2027-03-11T00:00:00.000Z" },
      { limit: "bytes_per_month", allowed: 5e9, used: 4e9, resets: "2027-04-01T00:00:00.000Z" },
      { limit: "parallel_streams", allowed: 4, used: null, resets: null },
    ]);
    expect(limitUses({ ...NO_LIMITS, parallel_streams: 4 }, USED, 0, NOW)).toMatchObject([{ used: 0 }]);
  });

  it("is explained with its unit", () => {
    expect(limitsFinding({ ...LIMITS, requests_per_minute: 5 }, USED, NOW)).toBe(
      "5 requests per minute, 2 of 3 downloads today, 4 GB of 5 GB this month",
    );
    expect(limitReason("bytes_used_up", LIMITS, USED, NOW)).toMatch(
      /for the month: 4 GB of 5 GB this month, until 2027-04-01T00:00:00.000Z$/,
    );
  });

  it("is read from the history today, and from the totals on earlier days of the month", async () => {
    const consumption = vi.fn(async () => ({ downloads: 2, bytes: 30 }));
    const bytesOf = vi.fn(async () => 400);
    const stores = { attempts: { consumption }, usage: { bytesOf } } as unknown as Pick<Store, "attempts" | "usage">;
    expect(await readConsumption(stores, "acme", NOW)).toEqual({ downloads: 2, bytes: 430 });
    expect(consumption).toHaveBeenCalledWith("acme", new Date("2027-03-10"), new Date("2027-03-11"));
    expect(bytesOf).toHaveBeenCalledWith("acme", { from: "2027-03-01", to: "2027-03-10" });
  });
});
