import { describe, expect, it } from "vitest";
import { dueAt } from "../../../src/domain/builds/overdue.ts";
import { build } from "../../adapters/sql/samples.ts";

const PUBLISHED = new Date("2026-11-01T00:00:00Z");

function hoursUntilDue(updateFreq: string | undefined): number | null {
  const metadata = Buffer.from(JSON.stringify({ update_freq: updateFreq }));
  const due = dueAt(build("vpn_ip_v1", { state: "published", published: PUBLISHED, metadata }));
  return due && (due.getTime() - PUBLISHED.getTime()) / 3_600_000;
}

describe("dueAt", () => {
  it.each([
    ["daily", 26],
    [" Daily ", 26],
    ["nightly", 26],
    ["every day", 26],
    ["once a day", 26],
    ["every 12 hours", 13],
    ["every 6 hours", 6.5],
    ["weekly", 7 * 26],
    ["every 2 weeks", 14 * 26],
    ["monthly", 31 * 26],
  ])("leaves %j some time beyond the interval", (updateFreq, hours) => {
    expect(hoursUntilDue(updateFreq)).toBe(hours);
  });

  it.each(["when something changes", "every 0 days", "every blue moon", "constructor", "", undefined])(
    "is null for %j, which names no interval",
    (updateFreq) => {
      expect(hoursUntilDue(updateFreq)).toBeNull();
    },
  );
});
