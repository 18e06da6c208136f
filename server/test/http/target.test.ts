import { describe, expect, it } from "vitest";
import { Targets } from "../../src/http/target.ts";

const targets = new Targets();

describe("an address", () => {
  it.each([
    ["/a", { path: "/a", query: {} }],
    ["/a?", { path: "/a", query: {} }],
    ["/a?b=1&c=%2F+2&b=3", { path: "/a", query: { b: ["1", "3"], c: "/ 2" } }],
    ["/a?b?c=1", { path: "/a", query: { "b?c": "1" } }],
    ["", { path: "", query: {} }],
  ])("%j is taken apart, and no differently the second time", (url, target) => {
    for (const _ of [1, 2]) {
      const { path, query } = targets.of(url);
      expect({ path, query: { ...query } }).toEqual(target);
    }
  });

  it("is remembered, since customers ask for the same again and again", () => {
    expect(targets.of("/list?id=a")).toBe(targets.of("/list?id=a"));
  });

  it.each(["/list?apikey=secret", "/list?id=a&%61pikey=secret", "/list?apikey=one&apikey=other"])(
    "with a key in it is not: %s",
    (url) => {
      expect(targets.of(url)).not.toBe(targets.of(url));
    },
  );

  it("is not when it is long", () => {
    const url = `/list?id=${"a".repeat(1000)}`;
    expect(targets.of(url)).not.toBe(targets.of(url));
  });
});
