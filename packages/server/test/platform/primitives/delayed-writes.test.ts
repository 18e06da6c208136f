import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DelayedWrites } from "../../../src/platform/primitives/delayed-writes.ts";

type Use = readonly [keyId: string, used: Date];

class Store {
  readonly batches: (readonly Use[])[] = [];
  isBroken = false;

  async setLastUsed(uses: readonly Use[]): Promise<void> {
    if (this.isBroken) throw new Error("unreachable");
    this.batches.push(uses);
  }

  get uses() {
    return this.batches.flat();
  }
}

const at = (ms: number) => new Date(ms);
let store: Store;
let writes: DelayedWrites<Date>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  store = new Store();
  writes = new DelayedWrites((uses: readonly Use[]) => store.setLastUsed(uses));
});
afterEach(async () => {
  await writes.close();
  vi.useRealTimers();
});

function noteMany(count: number): void {
  for (let i = 0; i < count; i += 1) writes.note(`key ${i}`, at(i));
}

describe("DelayedWrites", () => {
  it("writes the newest value of each id twice a minute", async () => {
    writes.note("a", at(1));
    writes.note("b", at(2));
    writes.note("a", at(3));
    expect(store.uses).toEqual([]);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(store.uses).toEqual([
      ["a", at(3)],
      ["b", at(2)],
    ]);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(store.uses).toHaveLength(2);
  });

  it("writes many values in batches", async () => {
    noteMany(1200);
    await writes.flush();
    expect(store.batches.map(({ length }) => length)).toEqual([500, 500, 200]);
    expect(new Set(store.uses.map(([keyId]) => keyId)).size).toBe(1200);
  });

  it("remembers at most 50,000 ids, and keeps updating those", async () => {
    noteMany(60_000);
    writes.note("key 7", at(99_999));
    await writes.flush();
    expect(store.uses).toHaveLength(50_000);
    expect(store.uses).toContainEqual(["key 7", at(99_999)]);
  });

  it("drops values that cannot be written, and writes later ones", async () => {
    store.isBroken = true;
    noteMany(9);
    await writes.flush();
    store.isBroken = false;
    writes.note("key 7", at(900));
    await writes.flush();
    expect(store.uses).toEqual([["key 7", at(900)]]);
  });

  it("writes all pending values when it is closed", async () => {
    noteMany(10);
    void writes.flush();
    writes.note("late", at(1));
    await writes.close();
    expect(store.uses).toHaveLength(11);
  });
});
