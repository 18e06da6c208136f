import { describe, expect, it } from "vitest";
import { isClosed, usageFilter } from "../../../src/domain/usage/report.ts";
import type { UsageFilter, UsageRow } from "../../../src/domain/usage/store.ts";

const NOW = new Date("2027-03-10T12:00:00Z");
const ACME = "acme";

describe("usageFilter", () => {
  it.each([
    ["the last twelve months by default", {}, "2026-04-01", "2027-04-01", true],
    ["whole months by month", { from: "2027-01-15", to: "2027-02-02" }, "2027-01-01", "2027-03-01", true],
    [
      "no further month if it ends with one",
      { from: "2027-01-01", to: "2027-02-01" },
      "2027-01-01",
      "2027-02-01",
      true,
    ],
    ["the current month by day", { by: "day" }, "2027-03-01", "2027-03-11", false],
    [
      "the day of a time at the end",
      { by: "day", from: "2027-03-01T23:00:00Z", to: "2027-03-02T00:00:01Z" },
      "2027-03-01",
      "2027-03-03",
      false,
    ],
    [
      "no further day if it ends at midnight",
      { by: "day", from: "2027-03-01", to: "2027-03-02T00:00:00Z" },
      "2027-03-01",
      "2027-03-02",
      false,
    ],
    ["the current month by database, as a whole one", { by: "database" }, "2027-03-01", "2027-04-01", true],
    [
      "a past month by database",
      { by: "database", from: "2027-01-01", to: "2027-02-01" },
      "2027-01-01",
      "2027-02-01",
      true,
    ],
    [
      "days by database if it begins within a month",
      { by: "database", from: "2027-01-02", to: "2027-02-01" },
      "2027-01-02",
      "2027-02-01",
      false,
    ],
    [
      "days by database if it ends within a month",
      { by: "database", from: "2027-01-01", to: "2027-01-31" },
      "2027-01-01",
      "2027-01-31",
      false,
    ],
  ] as const)("covers %s", (_, request, from, to, isWholeMonths) => {
    expect(usageFilter(request, ACME, NOW)).toMatchObject({ from, to, isWholeMonths, organizationId: ACME });
  });

  it("limits reports by day to 400 days of one organization, and to 31 of all", () => {
    const days = (from: string) => ({ by: "day", from, to: "2027-03-01" }) as const;
    expect(usageFilter(days("2026-01-25"), ACME, NOW)).toMatchObject({ from: "2026-01-25" });
    expect(() => usageFilter(days("2026-01-24"), ACME, NOW)).toThrow(/400 days: report by month$/);
    expect(usageFilter(days("2027-01-29"), undefined, NOW)).toMatchObject({ organizationId: undefined });
    expect(() => usageFilter(days("2027-01-28"), undefined, NOW)).toThrow(/31 days: report by month, or choose one/);
    const databases = { by: "database", from: "2025-01-02", to: "2027-03-01" } as const;
    expect(() => usageFilter(databases, ACME, NOW)).toThrow(/choose whole months$/);
    expect(usageFilter({ from: "2020-01-01" }, undefined, NOW)).toMatchObject({ from: "2020-01-01", to: "2027-04-01" });
  });

  it("refuses periods that end before they begin, or at once", () => {
    for (const to of ["2027-03-01", "2027-02-28"]) {
      expect(() => usageFilter({ by: "day", from: "2027-03-01", to }, ACME, NOW)).toThrow("to must be later than from");
    }
  });
});

describe("isClosed", () => {
  it.each([
    ["day", "2027-02-28", true],
    ["day", "2027-03-01", false],
    ["month", "2027-02", true],
    ["month", "2027-03", false],
  ] as const)("for a report by %s, the line of %s: %s", (by, period, expected) => {
    const filter = { by, to: "2027-04-01" } as UsageFilter;
    expect(isClosed(filter, { period } as UsageRow, { finalUntil: "2027-03-01", updated: NOW })).toBe(expected);
    expect(isClosed(filter, { period } as UsageRow, { finalUntil: undefined, updated: undefined })).toBe(false);
  });

  it("for a report by database, once its last day is final", () => {
    const closed = (to: string) =>
      isClosed({ by: "database", to } as UsageFilter, {} as UsageRow, { finalUntil: "2027-03-01", updated: NOW });
    expect([closed("2027-03-01"), closed("2027-03-02")]).toEqual([true, false]);
  });
});
