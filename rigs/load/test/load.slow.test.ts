import { describe, expect, it } from "vitest";
import { needs } from "../../harness/needs.ts";
import { day } from "../day.ts";
import { stampede } from "../stampede.ts";
import { steady } from "../steady.ts";

describe("Under load", needs("Linux"), () => {
  it("every request of a realistic mix gets the right response", async () => {
    const terms = { connections: 50, saturatedSeconds: 3, intervals: 2, intervalSeconds: 5 };
    const { intervals, rate, errors } = await steady(terms, () => {});
    expect(errors).toEqual([]);
    expect(intervals).toHaveLength(2);
    for (const { requests } of intervals) expect(requests).toBeGreaterThan(rate * 4);
  });

  it("a day of 20 customers has the requests and the history that the sizing page computes", async () => {
    const { figures } = await day(20, () => {});
    const ratios = Object.fromEntries(figures.map(({ what, predicted, measured }) => [what, measured / predicted]));
    expect(ratios.requests).toBe(1);
    // A database grows by pages, of which so few rows leave some empty.
    expect(ratios["history (MB)"]).toBeLessThan(5);
    expect(ratios["processor time (s)"]).toBeGreaterThan(0.2);
  });

  it("clients that sync a new build at the same time all get it", async () => {
    const { errors, requests } = await stampede({ clients: 200, seconds: 2 }, () => {});
    expect(errors).toEqual([]);
    expect(requests).toBe(200);
  });
});
