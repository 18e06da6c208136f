import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { LastUsed } from "../../src/keys/last-used.ts";

const HALF_A_MINUTE_MS = 30_000;

/** A store that says what it was given. */
class Store {
  readonly portions: (readonly [string, number])[][] = [];
  isBroken = false;

  async setLastUsed(uses: Iterable<readonly [string, number]>): Promise<void> {
    if (this.isBroken) throw new Error("out of reach");
    this.portions.push([...uses]);
  }

  get uses() {
    return this.portions.flat();
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

it("is written twice a minute, each key once, with its newest use", async () => {
  lastUsed.note("a", at(1));
  lastUsed.note("b", at(2));
  lastUsed.note("a", at(3));
  expect(store.uses).toEqual([]);
  await vi.advanceTimersByTimeAsync(HALF_A_MINUTE_MS);
  expect(store.uses).toEqual([
    ["a", 3],
    ["b", 2],
  ]);
  await vi.advanceTimersByTimeAsync(HALF_A_MINUTE_MS);
  expect(store.uses).toHaveLength(2);
});

it("is written in portions, one after the other", async () => {
  for (let i = 0; i < 450; i += 1) lastUsed.note(`key ${i}`, at(i));
  await lastUsed.write();
  expect(store.portions.map(({ length }) => length)).toEqual([200, 200, 50]);
  expect(store.uses).toEqual(Array.from({ length: 450 }, (_, i) => [`key ${i}`, i]));
});

it("is written before its time when many keys are in use, and takes no more room than that", async () => {
  for (let i = 0; i < 50_000; i += 1) lastUsed.note(`key ${i}`, at(i));
  lastUsed.note("key 20001", at(99));
  expect(store.portions).toHaveLength(1);
  await lastUsed.close();
  expect(store.uses).toHaveLength(40_000);
  expect(store.uses).toContainEqual(["key 20001", 99]);
});

it("is dropped when it cannot be written, and the next use counts", async () => {
  store.isBroken = true;
  for (let i = 0; i < 300; i += 1) lastUsed.note(`key ${i}`, at(1));
  await lastUsed.write();
  store.isBroken = false;
  lastUsed.note("key 7", at(2));
  await lastUsed.write();
  expect(store.uses).toEqual([["key 7", 2]]);
});

it("is written at the end, without the pauses", async () => {
  for (let i = 0; i < 10_000; i += 1) lastUsed.note(`key ${i}`, at(i));
  void lastUsed.write();
  lastUsed.note("late", at(1));
  const began = performance.now();
  await lastUsed.close();
  expect(performance.now() - began).toBeLessThan(1000);
  expect(store.uses).toHaveLength(10_001);
});
