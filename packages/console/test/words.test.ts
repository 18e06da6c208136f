import { describe, expect, it } from "vitest";
import { changeInPercent, withReadableTimes } from "../src/components/format.ts";
import { changesOf } from "../src/pages/audit/actions.ts";

describe("words of the console", () => {
  it("show dates within a sentence, but not within a name, as the reader writes them", () => {
    expect(withReadableTimes("as mmdb, build of 2026-11-19, from s3://files/2026-11-19/a and export-2026-11-19")).toBe(
      "as mmdb, build of Nov 19, 2026, from s3://files/2026-11-19/a and export-2026-11-19",
    );
  });

  it("show the server's times as the reader writes them, and midnight in UTC as a date", () => {
    expect(withReadableTimes("ends (2027-01-09T00:00:00.000Z) after 2027-01-10T12:30:00Z")).toBe(
      `ends (Jan 9, 2027) after ${new Date("2027-01-10T12:30:00Z").toLocaleString("en-US", { dateStyle: "medium", timeStyle: "short" })}`,
    );
  });

  it("name the fields of the audit log", () => {
    const after = { organizationId: "x", allowed_cidrs: ["10.0.0.0/8", "::1"], archived: false, expires: null };
    expect(changesOf({ organizationId: "x", expires: "2027-01-09T00:00:00.000Z" }, after)).toEqual([
      { name: "expires", field: "Expires", before: "Jan 9, 2027", after: "" },
      { name: "allowed_cidrs", field: "Allowed cidrs", before: "", after: "10.0.0.0/8, ::1" },
      { name: "archived", field: "Archived", before: "", after: "No" },
    ]);
  });

  it.each([
    [1, 1, undefined],
    [5, 0, "new"],
    [100_001, 100_000, "less than 0.1 %"],
    [112, 100, "+12 %"],
    [97, 100, "\u22123.0 %"],
    [104_167, 100, "1,042 times as many"],
  ])("say how much %i is compared with %i", (next, before, words) => {
    expect(changeInPercent(next, before)).toBe(words);
  });
});
