import { describe, expect, it } from "vitest";
import { LruCache } from "../../../src/platform/cache/lru-cache.ts";

describe("LruCache", () => {
  it("evicts the least recently used entry when it is full", () => {
    const cache = new LruCache<string, number>(2);
    cache.set("a", 1);
    cache.set("b", 2);
    expect(cache.get("a")).toBe(1);
    cache.set("c", 3);
    expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual([1, undefined, 3]);
  });

  it("replaces an entry without evicting another", () => {
    const cache = new LruCache<string, number>(2);
    cache.set("a", 1);
    cache.set("b", 2);
    cache.set("a", 10);
    expect([cache.get("a"), cache.get("b")]).toEqual([10, 2]);
  });

  it("deletes single entries, and all of them when it is cleared", () => {
    const cache = new LruCache<string, number>(3);
    for (const key of ["a", "b", "c"]) cache.set(key, 1);
    cache.delete("a");
    expect([cache.get("a"), cache.get("b")]).toEqual([undefined, 1]);
    cache.clear();
    expect([cache.get("b"), cache.get("c")]).toEqual([undefined, undefined]);
  });
});
