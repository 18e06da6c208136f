import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { SharedBuffers } from "../../src/objects/shared-buffers.ts";

describe("shared buffers", () => {
  let buffers: SharedBuffers;
  let told: string[];

  beforeEach(() => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    buffers = new SharedBuffers({ bytes: 10, most: 2, patienceMs: 20 });
    told = [];
  });

  const take = () => buffers.take() as Promise<Buffer>;
  const wait = (name: string) => buffers.take().then((buffer) => told.push(`${name}: ${buffer ? "has one" : "none"}`));

  it("are no more than they may be, and those that came back last are given out first", async () => {
    const [first, second] = [await take(), await take()];
    expect(first).toHaveLength(10);
    expect(second).not.toBe(first);
    buffers.giveBack(second);
    buffers.giveBack(first);
    expect(await take()).toBe(first);
    expect(await take()).toBe(second);
    expect(buffers.areAwaited).toBe(false);
  });

  it("go to those in line, in their order", async () => {
    const [first, second] = [await take(), await take()];
    wait("a");
    wait("b");
    expect(buffers.areAwaited).toBe(true);
    buffers.giveBack(first);
    await vi.advanceTimersByTimeAsync(0);
    expect(told).toEqual(["a: has one"]);
    buffers.giveBack(second);
    await vi.advanceTimersByTimeAsync(1000);
    expect(told).toEqual(["a: has one", "b: has one"]);
    expect(buffers.areAwaited).toBe(false);
  });

  it("are not waited for when none comes back, until one does", async () => {
    const stuck = [await take(), await take()];
    wait("a");
    await vi.advanceTimersByTimeAsync(19);
    wait("b");
    expect(told).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(told).toEqual(["a: none", "b: none"]);
    expect(await buffers.take()).toBeUndefined();
    for (const buffer of stuck) buffers.giveBack(buffer);
    expect(stuck).toContain(await take());
    expect(stuck).toContain(await take());
    wait("c");
    await vi.advanceTimersByTimeAsync(19);
    expect(told).toHaveLength(2);
  });

  it("are waited for as long as some come back", async () => {
    await take();
    let moving = await take();
    for (const name of ["a", "b", "c", "d"]) wait(name);
    for (let i = 0; i < 4; i += 1) {
      await vi.advanceTimersByTimeAsync(15);
      buffers.giveBack(moving);
      moving = Buffer.alloc(10);
    }
    await vi.advanceTimersByTimeAsync(0);
    expect(told).toEqual(["a: has one", "b: has one", "c: has one", "d: has one"]);
  });
});
