import { describe, expect, it } from "vitest";
import { endsBefore } from "../../../src/domain/licences/licence.ts";
import { standingOf } from "../../../src/domain/licences/standing.ts";
import { licenceToWire } from "../../../src/domain/licences/wire.ts";
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

describe("standingOf", () => {
  it.each([
    ["without a licence", [], "unlicensed", undefined],
    ["for a live licence", [current], "licensed", current],
    ["for a live licence without end", [endless], "licensed", endless],
    ["for an ended licence", [past], "expired", past],
    ["for a licence that has not started", [upcoming], "unlicensed", upcoming],
    ["for a licence that was ended before it began", [cancelled], "unlicensed", undefined],
    ["for the one of two live licences that ends last", [current, longer], "licensed", longer],
    ["for the one of two live licences that has no end", [longer, endless], "licensed", endless],
    ["for the one of two ended licences that ended last", [past, laterPast], "expired", laterPast],
    ["for the one of two upcoming licences that begins first", [laterUpcoming, upcoming], "unlicensed", upcoming],
    ["for a live licence rather than an ended one", [past, current], "licensed", current],
    ["for a live licence rather than an upcoming one without end", [laterUpcoming, current], "licensed", current],
    ["for an ended licence rather than an upcoming one", [upcoming, past], "expired", past],
    ["for an ended licence rather than a cancelled one", [cancelled, past], "expired", past],
    ["for an upcoming licence rather than a cancelled one", [cancelled, laterUpcoming], "unlicensed", laterUpcoming],
  ] as const)("returns the standing %s", (_, licences, standing, shown) => {
    expect(standingOf(licences, now)).toEqual({ standing, licence: shown });
    expect(standingOf([...licences].reverse(), now)).toEqual({ standing, licence: shown });
  });

  it.each([
    ["a millisecond before it starts", new Date(day(30).getTime() - 1), "unlicensed"],
    ["at the moment it starts", day(30), "licensed"],
    ["a millisecond before it ends", new Date(day(60).getTime() - 1), "licensed"],
    ["at the moment it ends", day(60), "expired"],
  ])("changes exactly at the start and end: %s", (_, instant, standing) => {
    expect(standingOf([current], instant).standing).toBe(standing);
  });

  it("leaves no gap between consecutive licences", () => {
    const next = licence({ starts: day(60), expires: day(70) });
    expect(standingOf([current, next], new Date(day(60).getTime() - 1)).licence).toBe(current);
    expect(standingOf([current, next], day(60))).toEqual({ standing: "licensed", licence: next });
  });

  it("returns the licence that was granted last if two have the same term", () => {
    const first = licence({ starts: day(30), expires: day(60), redistribution: "evaluation" });
    const second = licence({ starts: day(30), expires: day(60), redistribution: "redistribute" });
    for (const instant of [day(0), day(50), day(70)]) {
      expect(standingOf([first, second], instant).licence).toBe(second);
      expect(standingOf([second, first], instant).licence).toBe(second);
    }
  });

  it("ignores a cancelled licence before, on and after the day it would have begun", () => {
    for (const instant of [day(99), day(100), day(101)]) {
      expect(standingOf([cancelled], instant)).toEqual({ standing: "unlicensed", licence: undefined });
    }
  });
});

describe("endsBefore", () => {
  it.each([
    ["before a time after its end", current, day(61), true],
    ["not at its end", current, day(60), false],
    ["not without an end", endless, day(999), false],
    ["not if it has ended", past, day(999), false],
    ["not if it was ended before it began", cancelled, day(999), false],
  ])("a licence ends %s", (_, subject, time, expected) => {
    expect(endsBefore(subject, time, now)).toBe(expected);
  });

  it("not at the very moment it ends", () => {
    expect(endsBefore(current, day(61), day(60))).toBe(false);
  });
});

it.each([
  [current, "live"],
  [endless, "live"],
  [past, "ended"],
  [upcoming, "upcoming"],
  [laterUpcoming, "upcoming"],
  [cancelled, "ended"],
] as const)("operators see the state of a licence: %o is %s", (subject, state) => {
  expect(licenceToWire(subject, now)).toMatchObject({ state, expires: subject.expires?.toISOString() ?? null });
});
