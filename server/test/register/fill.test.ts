import { expect, it, vi } from "vitest";
import { fillKeys } from "../../src/register/fill.ts";

/** A register that needs so many portions. */
function registerOf(portions: number, takeIn: (call: number) => Promise<boolean> = async () => true) {
  let calls = 0;
  let left = portions;
  return {
    get hasAllKeys() {
      return left === 0;
    },
    get calls() {
      return calls;
    },
    async takeInKeys() {
      calls += 1;
      const isTakenIn = await takeIn(calls);
      if (isTakenIn) left -= 1;
      return isTakenIn;
    },
  };
}

it("takes in portion after portion until all keys are there, and no more", async () => {
  const register = registerOf(3);
  const onTrouble = vi.fn();
  const filling = fillKeys(register, onTrouble);
  await vi.waitUntil(() => register.hasAllKeys);
  await filling.stop();
  expect(register.calls).toBe(3);
  expect(onTrouble).not.toHaveBeenCalled();
});

it("tries again when the database fails, which it says once, and when it is new", async () => {
  const register = registerOf(2, async (call) => {
    if (call <= 2) throw new Error("out of reach");
    return call !== 3;
  });
  const onTrouble = vi.fn();
  const filling = fillKeys(register, onTrouble);
  await vi.waitUntil(() => register.hasAllKeys, { timeout: 5000 });
  expect(register.calls).toBe(5);
  expect(onTrouble).toHaveBeenCalledOnce();
  await filling.stop();
});

it("ends when it is stopped: at once in a pause, else behind the portion that is under way", async () => {
  const pausing = registerOf(1, async () => false);
  const inPause = fillKeys(pausing, () => {});
  await vi.waitUntil(() => pausing.calls === 1);
  await inPause.stop();
  expect(pausing.calls).toBe(1);

  const { promise, resolve } = Promise.withResolvers<boolean>();
  const busy = registerOf(5, () => promise);
  const atWork = fillKeys(busy, () => {});
  let isStopped = false;
  const stopped = atWork.stop().then(() => {
    isStopped = true;
  });
  await new Promise(setImmediate);
  expect(isStopped).toBe(false);
  resolve(true);
  await stopped;
  expect(busy.calls).toBe(1);
});
