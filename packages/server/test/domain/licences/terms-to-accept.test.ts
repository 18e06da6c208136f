import { describe, expect, it } from "vitest";
import { termsToAccept } from "../../../src/domain/licences/standing.ts";
import { day, licence } from "./terms.ts";

const NOW = day(50);
const live = (termsId: string | null, expires = 100) => licence({ starts: day(0), expires: day(expires), termsId });
const ended = licence({ starts: day(0), expires: day(10), termsId: "a@1" });
const upcoming = licence({ starts: day(60), expires: null, termsId: "a@1" });

describe("termsToAccept", () => {
  it.each([
    ["no licence", [], [], null],
    ["a licence that requires none", [live(null)], [], null],
    ["a licence that requires some", [live("a@1")], [], "a@1"],
    ["a licence whose terms are accepted", [live("a@1")], ["a@1"], null],
    ["a licence of whose terms another version is accepted", [live("a@2")], ["a@1"], "a@2"],
    ["a second live licence that requires none", [live("a@1"), live(null, 60)], [], null],
    ["a second live licence whose terms are accepted", [live("a@1"), live("b@1", 60)], ["b@1"], null],
    ["two live licences, of which the second ends last", [live("a@1", 60), live("b@1")], [], "b@1"],
    ["an ended licence only", [ended], [], null],
    ["an upcoming licence only", [upcoming], [], null],
    ["an upcoming licence that requires none", [live("a@1"), { ...upcoming, termsId: null }], [], "a@1"],
  ] as const)("returns the right terms for %s", (_, licences, accepted, expected) => {
    expect(termsToAccept(licences, new Set<string>(accepted), NOW)).toBe(expected);
  });
});
