import { afterEach, expect, it, vi } from "vitest";
import { systemClock } from "../src/clock.ts";

afterEach(() => {
  vi.useRealTimers();
});

it("the clock goes with the system's, also when that is put back; and what it has told before stays as it was", () => {
  vi.useFakeTimers();
  const told = [1_000_000, 1_000_000, 1_000_001, 999_000].map((ms) => {
    vi.setSystemTime(ms);
    return systemClock();
  });
  expect(told.map((date) => date.getTime())).toEqual([1_000_000, 1_000_000, 1_000_001, 999_000]);
});
