import { describe, expect, it, vi } from "vitest";
import { loadKeys } from "../../src/register/load-keys.ts";

const WAIT = { timeout: 60_000 };

/** A register whose keys take `pages` calls to load. */
function registerWith(pages: number, load: (call: number) => Promise<void> = async () => {}) {
  let calls = 0;
  let left = pages;
  return {
    get hasAllKeys() {
      return left === 0;
    },
    get calls() {
      return calls;
    },
    async loadNextKeys() {
      calls += 1;
      await load(calls);
      left -= 1;
    },
  };
}

describe("loadKeys", () => {
  it("loads page after page until the register has all keys", async () => {
    const register = registerWith(3);
    const onError = vi.fn();
    const loader = loadKeys(register, onError);
    await vi.waitUntil(() => register.hasAllKeys, WAIT);
    await loader.stop();
    expect(register.calls).toBe(3);
    expect(onError).not.toHaveBeenCalled();
  });

  it("retries when the database fails, and reports the outage once", async () => {
    const register = registerWith(2, async (call) => {
      if (call <= 2) throw new Error("unreachable");
    });
    const onError = vi.fn();
    const loader = loadKeys(register, onError);
    await vi.waitUntil(() => register.hasAllKeys, WAIT);
    expect(register.calls).toBe(4);
    expect(onError).toHaveBeenCalledOnce();
    await loader.stop();
  });

  it("stops immediately while waiting to retry, and otherwise after the current page", async () => {
    const failing = registerWith(1, async () => {
      throw new Error("unreachable");
    });
    const retrying = loadKeys(failing, () => {});
    await vi.waitUntil(() => failing.calls === 1, WAIT);
    await retrying.stop();
    expect(failing.calls).toBe(1);

    const { promise, resolve } = Promise.withResolvers<void>();
    const busy = registerWith(5, () => promise);
    const loader = loadKeys(busy, () => {});
    let isStopped = false;
    const stopped = loader.stop().then(() => {
      isStopped = true;
    });
    await new Promise(setImmediate);
    expect(isStopped).toBe(false);
    resolve();
    await stopped;
    expect(busy.calls).toBe(1);
  });
});
