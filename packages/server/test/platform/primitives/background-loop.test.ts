import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { BackgroundLoop } from "../../../src/platform/primitives/background-loop.ts";

let loop: BackgroundLoop;
let runs: number;
const run = async () => {
  runs += 1;
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  runs = 0;
});
afterEach(async () => {
  await loop.stop();
  vi.useRealTimers();
});

describe("BackgroundLoop", () => {
  it("waits for the interval before the first run, unless it starts at once", async () => {
    loop = new BackgroundLoop({ run, intervalMs: 1000 });
    loop.start();
    await vi.advanceTimersByTimeAsync(999);
    expect(runs).toBe(0);
    await vi.advanceTimersByTimeAsync(1001);
    expect(runs).toBe(2);
    await loop.stop();
    await vi.advanceTimersByTimeAsync(5000);
    expect(runs).toBe(2);

    loop = new BackgroundLoop({ run, intervalMs: 1000 });
    loop.startNow();
    expect(runs).toBe(3);
    await vi.advanceTimersByTimeAsync(1000);
    expect(runs).toBe(4);
  });

  it("does one run at a time, and waits for it when it stops", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    loop = new BackgroundLoop({ run: () => run().then(() => promise), intervalMs: 10 });
    loop.startNow();
    await vi.advanceTimersByTimeAsync(1000);
    expect(runs).toBe(1);
    const stopped = vi.fn();
    void loop.stop().then(stopped);
    await vi.advanceTimersByTimeAsync(1000);
    expect(loop.signal.aborted).toBe(true);
    expect(stopped).not.toHaveBeenCalled();
    resolve();
    await vi.advanceTimersByTimeAsync(1000);
    expect(stopped).toHaveBeenCalled();
    expect(runs).toBe(1);
  });

  it("reports every failure, and an outage once", async () => {
    let isBroken = true;
    const [onOutage, onFailure] = [vi.fn(), vi.fn()];
    const runOrFail = async () => {
      if (isBroken) throw new Error("unreachable");
    };
    loop = new BackgroundLoop({ run: runOrFail, intervalMs: 10, onOutage, onFailure });
    loop.startNow();
    await vi.advanceTimersByTimeAsync(20);
    expect([onOutage.mock.calls.length, onFailure.mock.calls.length, loop.isFailing]).toEqual([1, 3, true]);
    isBroken = false;
    await vi.advanceTimersByTimeAsync(10);
    expect(loop.isFailing).toBe(false);
    isBroken = true;
    await vi.advanceTimersByTimeAsync(10);
    expect([onOutage.mock.calls.length, onFailure.mock.calls.length]).toEqual([2, 4]);
  });

  it("runs earlier if what it watches has changed, and when it is woken", async () => {
    const subject = { revision: 0 };
    loop = new BackgroundLoop({ run, intervalMs: 10_000, watched: { subject, delayMs: 2000 } });
    loop.start();
    await vi.advanceTimersByTimeAsync(2000);
    expect(runs).toBe(1);
    await vi.advanceTimersByTimeAsync(9750);
    expect(runs).toBe(1);
    await vi.advanceTimersByTimeAsync(250);
    expect(runs).toBe(2);
    subject.revision += 1;
    await vi.advanceTimersByTimeAsync(1750);
    expect(runs).toBe(2);
    await vi.advanceTimersByTimeAsync(250);
    expect(runs).toBe(3);
    loop.wake();
    await vi.advanceTimersByTimeAsync(250);
    expect(runs).toBe(4);
  });
});
