import { describe, expect, it } from "vitest";
import { compared, isReached, median, single } from "../src/result.ts";
import { tableOf } from "../src/table.ts";

const labels = { what: "list", unit: "req/s", anchorName: "nginx" } as const;

describe("benchmark result", () => {
  it("has the median of the rounds' ratios, not the ratio of the medians", () => {
    const result = compared(labels, { anchor: [100, 10, 20], ours: [80, 10, 2] }, { ratioAtLeast: 0.8 });
    expect(result).toMatchObject({ ours: 10, anchor: { value: 20, ratio: 0.8 } });
  });

  it("reaches its goal at the bound of a ratio and below a limit", () => {
    const rounds = { anchor: [100], ours: [125] };
    expect(isReached(compared(labels, rounds, { ratioAtLeast: 1.25 }))).toBe(true);
    expect(isReached(compared(labels, rounds, { ratioAtLeast: 1.26 }))).toBe(false);
    expect(isReached(compared(labels, rounds, { ratioAtMost: 1.25 }))).toBe(true);
    expect(isReached(compared(labels, rounds, { ratioAtMost: 1.24 }))).toBe(false);
    expect(isReached(single("start", "s", [0.99], 1))).toBe(true);
    expect(isReached(single("start", "s", [1], 1))).toBe(false);
  });

  it("is printed as a row of an aligned table that marks missed goals", () => {
    const table = tableOf([
      compared(labels, { anchor: [20_000], ours: [10_000] }, { ratioAtLeast: 0.7 }),
      single("start, demo data", "s", [0.5], 1),
    ]);
    const lines = table.trimEnd().split("\n");
    expect(new Set(lines.map((line) => line.length)).size).toBe(1);
    expect(lines[2]).toMatch(
      /^\| list +\| 10,000 req\/s \| nginx +\| 20,000 req\/s \| 0.50 +\| at least 0.7 \| MISSED \|$/,
    );
    expect(lines[3]).toMatch(/^\| start, demo data \| 0.50 s .*\| below 1 s +\| ok +\|$/);
  });
});

describe("median", () => {
  it("returns the middle value, or the mean of the two in the middle", () => {
    expect(median([9, 100, 10])).toBe(10);
    expect(median([4, 1, 100, 2])).toBe(3);
  });
});
