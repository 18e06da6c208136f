import { describe, expect, it } from "vitest";
import { standingOf } from "../../src/licences/standing.ts";
import { day, licence } from "./terms.ts";

const past = licence({ starts: day(0), expires: day(10) });
const laterPast = licence({ starts: day(5), expires: day(20) });
const current = licence({ starts: day(30), expires: day(60) });
const longer = licence({ starts: day(20), expires: day(90) });
const endless = licence({ starts: day(40), expires: null });
const upcoming = licence({ starts: day(100), expires: day(200) });
const laterUpcoming = licence({ starts: day(150), expires: null });
const cancelled = licence({ starts: day(100), expires: day(100) });
const now = day(50);

describe("the standing of an organization", () => {
  it.each([
    ["no licence", [], "unlicensed", undefined],
    ["a live one", [current], "licensed", current],
    ["a live one without end", [endless], "licensed", endless],
    ["one that has ended", [past], "expired", past],
    ["one that has not started", [upcoming], "unlicensed", upcoming],
    ["one that was ended before it began", [cancelled], "unlicensed", undefined],
    ["two live ones: the one that ends last", [current, longer], "licensed", longer],
    ["two live ones: no end is last of all", [longer, endless], "licensed", endless],
    ["two ended ones: the one that ended last", [past, laterPast], "expired", laterPast],
    ["two upcoming ones: the one that begins first", [laterUpcoming, upcoming], "unlicensed", upcoming],
    ["live beats ended", [past, current], "licensed", current],
    ["live beats upcoming, though that has no end", [laterUpcoming, current], "licensed", current],
    ["ended beats upcoming", [upcoming, past], "expired", past],
    ["cancelled counts for nothing beside an ended one", [cancelled, past], "expired", past],
    ["cancelled counts for nothing beside an upcoming one", [cancelled, laterUpcoming], "unlicensed", laterUpcoming],
  ] as const)("%s", (_, licences, standing, shown) => {
    expect(standingOf(licences, now)).toEqual({ standing, licence: shown });
    expect(standingOf([...licences].reverse(), now)).toEqual({ standing, licence: shown });
  });

  it.each([
    ["a millisecond before it starts", new Date(day(30).getTime() - 1), "unlicensed"],
    ["at the moment it starts", day(30), "licensed"],
    ["a millisecond before it ends", new Date(day(60).getTime() - 1), "licensed"],
    ["at the moment it ends", day(60), "expired"],
  ])("of one licence %s", (_, instant, standing) => {
    expect(standingOf([current], instant).standing).toBe(standing);
  });

  it("has no gap between two licences that touch", () => {
    const next = licence({ starts: day(60), expires: day(70) });
    expect(standingOf([current, next], new Date(day(60).getTime() - 1)).licence).toBe(current);
    expect(standingOf([current, next], day(60))).toEqual({ standing: "licensed", licence: next });
  });

  it("shows the licence that was granted last where two have the same term", () => {
    const first = licence({ starts: day(30), expires: day(60), redistribution: "evaluation" });
    const second = licence({ starts: day(30), expires: day(60), redistribution: "redistribute" });
    for (const instant of [day(0), day(50), day(70)]) {
      expect(standingOf([first, second], instant).licence).toBe(second);
      expect(standingOf([second, first], instant).licence).toBe(second);
    }
  });

  it("after a cancelled licence's day is still as if it had never been granted", () => {
    for (const instant of [day(99), day(100), day(101)]) {
      expect(standingOf([cancelled], instant)).toEqual({ standing: "unlicensed", licence: undefined });
    }
  });
});
