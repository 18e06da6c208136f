import { describe, expect, it } from "vitest";
import { oneByOne, ReadThroughCache } from "../../../src/platform/cache/read-through-cache.ts";

/** A database that responds only when told to. */
class Source {
  readonly queries: string[][] = [];
  readonly rows = new Map([
    ["a", { is: "a" }],
    ["b", { is: "b" }],
  ]);
  readonly #pending: (() => void)[] = [];

  readonly loadAll = async (keys: readonly string[]) => {
    this.queries.push([...keys]);
    const rows = new Map(this.rows);
    await new Promise<void>((resolve) => this.#pending.push(resolve));
    return rows;
  };

  /** Waits for the n-th query and responds to the oldest pending one. */
  async respond(n: number): Promise<void> {
    await expect.poll(() => this.queries.length).toBe(n);
    this.#pending.shift()?.();
  }
}

describe("ReadThroughCache", () => {
  it("loads concurrent lookups with one query, and those that arrive meanwhile with the next", async () => {
    const source = new Source();
    const cache = new ReadThroughCache(source.loadAll, 100);
    const first = [cache.get("a"), cache.get("none")];
    await expect.poll(() => source.queries.length).toBe(1);
    const second = [cache.get("b"), cache.get("c")];
    await source.respond(1);
    expect(await Promise.all(first)).toEqual([{ is: "a" }, undefined]);
    await source.respond(2);
    expect(await Promise.all(second)).toEqual([{ is: "b" }, undefined]);
    expect(source.queries).toEqual([
      ["a", "none"],
      ["b", "c"],
    ]);
  });

  it("caches values and missing keys until they are invalidated", async () => {
    const source = new Source();
    const cache = new ReadThroughCache(source.loadAll, 100);
    const both = [cache.get("a"), cache.get("none")];
    await source.respond(1);
    await Promise.all(both);
    expect([await cache.get("a"), await cache.get("none")]).toEqual([{ is: "a" }, undefined]);
    expect(source.queries).toHaveLength(1);

    cache.invalidate(["a"]);
    expect(await cache.get("none")).toBeUndefined();
    const again = cache.get("a");
    await source.respond(2);
    expect(await again).toEqual({ is: "a" });

    cache.clear();
    const none = cache.get("none");
    await source.respond(3);
    expect(await none).toBeUndefined();
    expect(source.queries).toEqual([["a", "none"], ["a"], ["none"]]);
  });

  it("does not cache a value that was being loaded while entries were invalidated", async () => {
    const source = new Source();
    const cache = new ReadThroughCache(source.loadAll, 100);
    const loading = cache.get("a");
    await expect.poll(() => source.queries.length).toBe(1);
    cache.invalidate([]);
    await source.respond(1);
    expect(await loading).toEqual({ is: "a" });
    const again = cache.get("a");
    await source.respond(2);
    expect(await again).toEqual({ is: "a" });
  });

  it("does not evict values because of lookups of unknown keys", async () => {
    let queries = 0;
    const rows = new Map([["a", { is: "a" }]]);
    const cache = new ReadThroughCache(async (_keys: readonly string[]) => {
      queries += 1;
      return rows;
    }, 8);
    await cache.get("a");
    await Promise.all(Array.from({ length: 100 }, (_, i) => cache.get(`unknown ${i}`)));
    expect(queries).toBe(2);
    expect(await cache.get("a")).toEqual({ is: "a" });
    expect(queries).toBe(2);
  });

  it("fails the lookups of a failed query, and retries at the next lookup", async () => {
    let isBroken = true;
    const cache = new ReadThroughCache(
      oneByOne(async (key: string) => {
        if (isBroken) throw new Error("unreachable");
        return key === "a" ? { is: "a" } : undefined;
      }),
      100,
    );
    await expect(cache.get("a")).rejects.toThrow("unreachable");
    isBroken = false;
    expect(await cache.get("a")).toEqual({ is: "a" });
    expect(await cache.get("b")).toBeUndefined();
  });
});
