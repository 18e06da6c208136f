import { expect, test } from "vitest";
import { alternate, median, medianRatio } from "../src/rounds.ts";

test("the median is the middle one, or between the two in the middle", () => {
  expect(median([5, 1, 100])).toBe(5);
  expect(median([4, 1, 100, 2])).toBe(3);
  expect(median([7])).toBe(7);
  expect(() => median([])).toThrow(RangeError);
});

test("numbers are sorted as numbers", () => {
  expect(median([9, 10, 100])).toBe(10);
});

test("the ratio compares what ran side by side", () => {
  // The ratio of the medians would be 0.5.
  expect(medianRatio({ anchor: [100, 10, 20], ours: [80, 10, 2] })).toBe(0.8);
});

test("sides take turns, and turns at being first", async () => {
  const order: string[] = [];
  const side = (name: string) => async (round: number) => order.push(`${name} ${round}`);
  const results = await alternate(3, { anchor: side("anchor"), ours: side("ours") }, () => {});
  expect(order).toEqual(["anchor 0", "ours 0", "ours 1", "anchor 1", "anchor 2", "ours 2"]);
  expect(results).toEqual({ anchor: [1, 4, 5], ours: [2, 3, 6] });
});
