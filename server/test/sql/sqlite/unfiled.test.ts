import { describe, expect, it } from "vitest";
import { Unfiled } from "../../../src/sql/sqlite/unfiled.ts";
import { seeded } from "./plain-history.ts";

/** "acme b5": of Acme, with id b and number 5. */
function unfiledWith(...attempts: string[]): Unfiled {
  const unfiled = new Unfiled();
  add(unfiled, ...attempts);
  return unfiled;
}

function add(unfiled: Unfiled, ...attempts: string[]): void {
  for (const attempt of attempts) {
    const [, organizationId = "", id = "", number] = /^(\w+) (\D)(\d+)$/.exec(attempt) ?? [];
    unfiled.add(organizationId, id, Number(number));
  }
}

/** All portions, each forgotten before the next. */
function portionsOf(unfiled: Unfiled, count: number): number[][] {
  const portions: number[][] = [];
  for (let isLast = false; !isLast; ) {
    const portion = unfiled.portion(count);
    portions.push(portion.numbers);
    unfiled.forget(portion);
    isLast = portion.isLast;
  }
  return portions;
}

describe("attempts that are not filed", () => {
  it("are found newest first by their ids, in whatever order they came", () => {
    const unfiled = unfiledWith("acme b1", "acme d2", "acme a3", "globex x4", "acme c5");
    const numbers = (query: { before?: string; limit: number }) => unfiled.newest({ organizationId: "acme", ...query });
    expect(numbers({ limit: 9 })).toEqual([2, 5, 1, 3]);
    expect(numbers({ limit: 2 })).toEqual([2, 5]);
    expect(numbers({ before: "c", limit: 9 })).toEqual([1, 3]);
    expect(numbers({ before: "bb", limit: 1 })).toEqual([1]);
    expect(numbers({ before: "a", limit: 9 })).toEqual([]);
    expect(unfiled.newest({ organizationId: "nobody", limit: 9 })).toEqual([]);
  });

  it("have the number they came with last", () => {
    const unfiled = unfiledWith("acme a1", "acme b2", "acme a3", "acme b4");
    expect(unfiled.newest({ organizationId: "acme", limit: 9 })).toEqual([4, 3]);
    expect(unfiled.size).toBe(2);
  });

  it("leave in the order of their organizations and ids, in portions of one size", () => {
    const all = ["globex c1", "acme b2", "acme a3", "initech d4", "acme e5", "globex a6", "acme c7"];
    for (const [count, portions] of [
      [3, [[3, 2, 7], [5, 6, 1], [4]]],
      [1, [[3], [2], [7], [5], [6], [1], [4]]],
      [7, [[3, 2, 7, 5, 6, 1, 4]]],
      [99, [[3, 2, 7, 5, 6, 1, 4]]],
    ] as const) {
      const unfiled = unfiledWith(...all);
      unfiled.leave();
      expect(portionsOf(unfiled, count)).toEqual(portions);
      expect(unfiled.size).toBe(0);
    }
  });

  it("are one empty portion when there are none", () => {
    const unfiled = new Unfiled();
    unfiled.leave();
    expect(portionsOf(unfiled, 3)).toEqual([[]]);
  });

  it("are given again until they are said to be filed", () => {
    const unfiled = unfiledWith("acme a1", "acme b2", "acme c3");
    unfiled.leave();
    expect(unfiled.portion(2).numbers).toEqual([1, 2]);
    const portion = unfiled.portion(2);
    expect(portion.numbers).toEqual([1, 2]);
    unfiled.forget(portion);
    expect(unfiled.portion(2)).toMatchObject({ numbers: [3], isLast: true });
  });

  it("are found while they leave, together with those that come meanwhile, which stay", () => {
    const unfiled = unfiledWith("acme a1", "acme c2", "globex a3");
    unfiled.leave();
    add(unfiled, "acme b4", "acme d5");
    expect(unfiled.newest({ organizationId: "acme", limit: 3 })).toEqual([5, 2, 4]);
    expect(portionsOf(unfiled, 2)).toEqual([[1, 2], [3]]);
    expect(unfiled.newest({ organizationId: "acme", limit: 9 })).toEqual([5, 4]);
    unfiled.leave();
    expect(portionsOf(unfiled, 9)).toEqual([[4, 5]]);
  });

  it("are none after all were forgotten, also of those that were leaving", () => {
    const unfiled = unfiledWith("acme a1", "globex b2");
    unfiled.leave();
    unfiled.forget(unfiled.portion(1));
    add(unfiled, "acme c3");
    unfiled.clear();
    expect(unfiled.size).toBe(0);
    expect(unfiled.portion(9)).toMatchObject({ numbers: [], isLast: true });
  });

  it("are in order however many come in none", () => {
    const random = seeded(7);
    const unfiled = new Unfiled();
    const ids = Array.from({ length: 20_000 }, () => random(1e9).toString().padStart(9, "0"));
    for (const [number, id] of ids.entries()) unfiled.add("acme", id, number);
    const sorted = [...new Set(ids)].sort().reverse();
    const found = unfiled.newest({ organizationId: "acme", limit: ids.length });
    expect(found.map((number) => ids[number])).toEqual(sorted);
  });
});
