import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { LastUsed } from "../../src/keys/last-used.ts";
import type { KeyPlace, KeyUses } from "../../src/keys/store.ts";

const HALF_A_MINUTE_MS = 30_000;

/** A store that says what it was given. */
class Store {
  readonly portions: KeyUses[] = [];
  isBroken = false;

  async setLastUsed(uses: KeyUses): Promise<void> {
    if (this.isBroken) throw new Error("out of reach");
    this.portions.push(uses);
  }

  get uses() {
    return this.portions.flat();
  }
}

/** A register whose keys are called by their places. */
class Register {
  readonly #uses = new Map<number, number>();

  place(number: number): KeyPlace {
    return { organizationNumber: 0, noteUse: (usedMs) => this.#uses.set(number, usedMs) };
  }

  takeUses(limit: number): KeyUses {
    const taken = [...this.#uses].slice(0, limit);
    for (const [place] of taken) this.#uses.delete(place);
    return taken.map(([place, usedMs]) => [`in register ${place}`, usedMs]);
  }
}

const at = (ms: number) => new Date(ms);
let store: Store;
let register: Register;
let lastUsed: LastUsed;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  store = new Store();
  register = new Register();
  lastUsed = new LastUsed(store, register);
});
afterEach(async () => {
  await lastUsed.close();
  vi.useRealTimers();
});

function noteMany(count: number): void {
  for (let i = 0; i < count; i += 1) lastUsed.note({ key: { id: `key ${i}` } }, at(i));
}

it("is written twice a minute, each key once, with its newest use", async () => {
  lastUsed.note({ key: { id: "a" } }, at(1));
  lastUsed.note({ key: { id: "in register 7" }, place: register.place(7) }, at(2));
  lastUsed.note({ key: { id: "a" } }, at(3));
  lastUsed.note({ key: { id: "in register 7" }, place: register.place(7) }, at(4));
  expect(store.uses).toEqual([]);
  await vi.advanceTimersByTimeAsync(HALF_A_MINUTE_MS);
  expect(store.uses).toEqual([
    ["a", 3],
    ["in register 7", 4],
  ]);
  await vi.advanceTimersByTimeAsync(HALF_A_MINUTE_MS);
  expect(store.uses).toHaveLength(2);
});

it("is written in portions, one after the other, of keys in the register and others", async () => {
  noteMany(70);
  for (let i = 0; i < 50; i += 1) lastUsed.note({ key: { id: `in register ${i}` }, place: register.place(i) }, at(i));
  await lastUsed.write();
  expect(store.portions.map(({ length }) => length)).toEqual([50, 50, 20]);
  expect(store.uses.map(([keyId]) => keyId)).toEqual([
    ...Array.from({ length: 70 }, (_, i) => `key ${i}`),
    ...Array.from({ length: 50 }, (_, i) => `in register ${i}`),
  ]);
});

it("takes no more room than for 20,000 that the register does not hold", async () => {
  noteMany(50_000);
  lastUsed.note({ key: { id: "key 7" } }, at(99_999));
  await lastUsed.close();
  expect(store.uses).toHaveLength(20_000);
  expect(store.uses).toContainEqual(["key 7", 99_999]);
});

it("is dropped, a portion of it, when it cannot be written, and the next use counts", async () => {
  store.isBroken = true;
  noteMany(90);
  await lastUsed.write();
  store.isBroken = false;
  lastUsed.note({ key: { id: "key 7" } }, at(900));
  await lastUsed.write();
  expect(store.uses).toHaveLength(41);
  expect(store.uses).toContainEqual(["key 89", 89]);
  expect(store.uses).toContainEqual(["key 7", 900]);
});

it("is written at the end, without the pauses", async () => {
  noteMany(10_000);
  void lastUsed.write();
  lastUsed.note({ key: { id: "late" } }, at(1));
  const began = performance.now();
  await lastUsed.close();
  expect(performance.now() - began).toBeLessThan(1000);
  expect(store.uses).toHaveLength(10_001);
});

it("is written at the end of 20,000 keys at the most: nobody waits for a million", async () => {
  for (let i = 0; i < 30_000; i += 1)
    lastUsed.note({ key: { id: `in register ${i}` }, place: register.place(i) }, at(i));
  await lastUsed.close();
  expect(store.uses).toHaveLength(20_000);
});
