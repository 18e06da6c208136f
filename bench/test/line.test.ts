import { expect, test } from "vitest";
import { comparison, lone, memoryLine } from "../src/line.ts";
import { tableOf } from "../src/table.ts";

const labels = { name: "list", what: "the list", unit: "req/s" } as const;

test("a ratio that has to be reached", () => {
  const rounds = { anchor: [1000, 1000, 1000], ours: [850, 849, 900] };
  expect(comparison(labels, rounds, { ratioAtLeast: 0.85 })).toMatchObject({ ours: 850, ratio: 0.85, isReached: true });
  expect(comparison(labels, rounds, { ratioAtLeast: 0.86 })).toMatchObject({ isReached: false });
});

test("a ratio that must not be passed", () => {
  const rounds = { anchor: [1], ours: [1.25] };
  expect(comparison(labels, rounds, { ratioAtMost: 1.25 }).isReached).toBe(true);
  expect(comparison(labels, rounds, { ratioAtMost: 1.2 }).isReached).toBe(false);
});

test("a limit is reached below it", () => {
  expect(lone({ ...labels, unit: "s" }, [0.7], 0.7).isReached).toBe(false);
  expect(lone({ ...labels, unit: "s" }, [0.69], 0.7).isReached).toBe(true);
  expect(lone({ ...labels, unit: "s" }, [0.69], null).isReached).toBeNull();
});

test("memory is the highest peak, and no line where the system does not tell", () => {
  expect(memoryLine(labels, [90e6, null, 101e6], 100)).toMatchObject([{ ours: 101, isReached: false }]);
  expect(memoryLine(labels, [null], 100)).toEqual([]);
});

test("the table stands in columns and shouts what was missed", () => {
  const table = tableOf([
    comparison(labels, { anchor: [20_000], ours: [10_000] }, { ratioAtLeast: 0.7 }),
    lone({ name: "start", what: "a longer name", unit: "s" }, [0.5], 0.7),
  ]);
  const lines = table.trimEnd().split("\n");
  expect(new Set(lines.map((line) => line.length)).size).toBe(1);
  expect(lines[2]).toContain("| 10,000 req/s | 20,000 req/s | 0.50  | at least 0.7 | MISSED  |");
  expect(lines[3]).toContain("| 0.50 s       |              |       | under 0.7 s  | reached |");
});
