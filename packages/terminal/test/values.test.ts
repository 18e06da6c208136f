import { describe, expect, it } from "vitest";
import { durationSeconds, listOf } from "../src/values.ts";

describe("durationSeconds", () => {
  const parse = durationSeconds(7 * 86_400);

  it.each([
    ["90s", 90],
    ["15m", 900],
    ["1h", 3600],
    ["7d", 604_800],
    ["3600", 3600],
    ["0", 0],
  ])("reads %s", (text, seconds) => {
    expect(parse(text)).toBe(seconds);
  });

  it.each(["", "1 h", "1w", "-1s", "8d", "604801", "1.5h", "500ms"])("refuses %j", (text) => {
    expect(() => parse(text)).toThrow("Must be a duration like 90s, 1h or 7d, at most 7d.");
  });
});

describe("listOf", () => {
  it("reads comma-separated choices and refuses others", () => {
    expect(listOf(["a", "b"])("b, a")).toEqual(["b", "a"]);
    expect(() => listOf(["a", "b"])("a,c")).toThrow("Allowed values are a, b.");
  });
});
