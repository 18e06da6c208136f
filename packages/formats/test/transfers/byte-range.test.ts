import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRange } from "../../src/transfers/byte-range.ts";

describe("parseRange", () => {
  it.each([
    ["bytes=0-0", { first: 0, last: 0 }],
    ["bytes=2-4", { first: 2, last: 4 }],
    ["bytes=7-", { first: 7, last: 9 }],
    ["bytes=-3", { first: 7, last: 9 }],
    ["bytes=-10", { first: 0, last: 9 }],
    ["bytes=-11", { first: 0, last: 9 }],
    ["bytes=5-99999999999999999999999", { first: 5, last: 9 }],
    ["Bytes= 2 - 4 ", { first: 2, last: 4 }],
    ["bytes=10-", "unsatisfiable"],
    ["bytes=10-20", "unsatisfiable"],
    ["bytes=99999999999999999999999-", "unsatisfiable"],
    ["bytes=-0", "unsatisfiable"],
    [undefined, "whole"],
    ["", "whole"],
    ["bytes=-", "whole"],
    ["bytes=5-2", "whole"],
    ["bytes=a-b", "whole"],
    ["bytes=0x1-2", "whole"],
    ["bytes=1.5-2", "whole"],
    ["bytes=--1", "whole"],
    ["bytes 2-4", "whole"],
    ["lines=2-4", "whole"],
    ["bytes=1-2,4-5", "whole"],
  ])("parses %s for an object of ten bytes", (header, expected) => {
    expect(parseRange(header, 10)).toEqual(expected);
  });

  it("finds every range of an empty object unsatisfiable", () => {
    expect(parseRange("bytes=0-", 0)).toBe("unsatisfiable");
    expect(parseRange("bytes=-1", 0)).toBe("unsatisfiable");
    expect(parseRange(undefined, 0)).toBe("whole");
  });

  it("never returns a range outside the object", () => {
    const header = fc.oneof(
      fc.string(),
      fc.stringMatching(/^bytes=\d{0,4}-\d{0,4}$/),
      fc.stringMatching(/^bytes=[\d, -]{0,12}$/),
    );
    const property = fc.property(header, fc.nat(2000), (text, sizeBytes) => {
      const range = parseRange(text, sizeBytes);
      if (typeof range === "string") return;
      expect(range.first).toBeGreaterThanOrEqual(0);
      expect(range.last).toBeGreaterThanOrEqual(range.first);
      expect(range.last).toBeLessThan(sizeBytes);
    });
    fc.assert(property, { numRuns: 2000 });
  });
});
