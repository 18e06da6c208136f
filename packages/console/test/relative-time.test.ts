import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { relativeTime } from "../src/components/relative-time.ts";

const MODULE = new URL("../src/components/relative-time.ts", import.meta.url).href;
const NOW = new Date("2026-11-18T19:42:00Z");

it.each([
  ["2026-11-18T19:41:30Z", "just now"],
  ["2026-11-18T19:38:00Z", "4 minutes ago"],
  ["2026-11-19T15:42:00Z", "in 20 hours"],
  ["2026-11-17T19:00:00Z", "yesterday"],
  ["2026-11-27T00:00:00Z", "in 9 days"],
  ["2027-01-05T00:00:00Z", "in 48 days"],
  ["2027-01-18T00:00:00Z", "in 2 months"],
  ["2027-03-17T00:00:00Z", "in 3 months"],
  ["2027-03-18T00:00:00Z", "in 4 months"],
  ["2026-07-18T00:00:00Z", "4 months ago"],
  ["2026-09-19T12:00:00Z", "60 days ago"],
  ["2028-11-17T00:00:00Z", "in 23 months"],
  ["2028-11-18T00:00:00Z", "in 2 years"],
])("describes %s by the calendar", (moment, expected) => {
  expect(relativeTime(new Date(moment), NOW)).toBe(expected);
});

it("counts the days of contracts in UTC, and other moments by the clock of the viewer", () => {
  const moments = ["2027-03-18T00:00:00Z", "2026-11-17T00:30:00Z"];
  const script = `import { relativeTime } from ${JSON.stringify(MODULE)};
    const now = new Date(${JSON.stringify(NOW)});
    console.log(JSON.stringify(${JSON.stringify(moments)}.map((moment) => relativeTime(new Date(moment), now))));`;
  const env = { ...process.env, TZ: "America/Los_Angeles" };
  const options = ["--input-type=module-typescript", "--eval", script];
  // 16:30 on the 16th in Los Angeles.
  expect(JSON.parse(execFileSync(process.execPath, options, { env, encoding: "utf8" }))).toEqual([
    "in 4 months",
    "2 days ago",
  ]);
});
