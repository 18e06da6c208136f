import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LastUsed } from "../../../src/domain/keys/last-used.ts";

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
let lastUsed: LastUsed;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  store = new Store();
  lastUsed = new LastUsed(store);
});
afterEach(async () => {
  await lastUsed.close();
  vi.useRealTimers();
});

function noteMany(count: number): void {
  for (let i = 0; i < count; i += 1) lastUsed.note({ key: { id: `key ${i}` } }, at(i));
}

describe("LastUsed", () => {
  it("stores the newest use of each key twice a minute", async () => {
    lastUsed.note({ key: { id: "a" } }, at(1));
    lastUsed.note({ key: { id: "b" } }, at(2));
    lastUsed.note({ key: { id: "a" } }, at(3));
    expect(store.uses).toEqual([]);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(store.uses).toEqual([
      ["a", at(3)],
      ["b", at(2)],
    ]);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(store.uses).toHaveLength(2);
  });

  it("stores many uses in batches", async () => {
    noteMany(1200);
    await lastUsed.flush();
    expect(store.batches.map(({ length }) => length)).toEqual([500, 500, 200]);
    expect(new Set(store.uses.map(([keyId]) => keyId)).size).toBe(1200);
  });

  it("remembers at most 50,000 keys, and keeps updating those", async () => {
    noteMany(60_000);
    lastUsed.note({ key: { id: "key 7" } }, at(99_999));
    await lastUsed.flush();
    expect(store.uses).toHaveLength(50_000);
    expect(store.uses).toContainEqual(["key 7", at(99_999)]);
  });

  it("drops uses that cannot be stored, and stores later ones", async () => {
    store.isBroken = true;
    noteMany(9);
    await lastUsed.flush();
    store.isBroken = false;
    lastUsed.note({ key: { id: "key 7" } }, at(900));
    await lastUsed.flush();
    expect(store.uses).toEqual([["key 7", at(900)]]);
  });

  it("stores all pending uses when it is closed", async () => {
    noteMany(10);
    void lastUsed.flush();
    lastUsed.note({ key: { id: "late" } }, at(1));
    await lastUsed.close();
    expect(store.uses).toHaveLength(11);
  });
});
