import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Figures, withFigures } from "../src/figures.ts";
import { run } from "../src/processes.ts";

const MAIN = join(import.meta.dirname, "../src/main.ts");
const bench = (...args: string[]) => run(process.execPath, [MAIN, ...args]);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dbdepot-bench-test-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe("a smoke run of one row", () => {
  let figures: Figures;
  let shown: string;
  const out = () => join(folder, "figures.json");

  beforeAll(async () => {
    shown = (await bench("--quick", "metadata", "--rounds", "2", "--out", out())).stdout;
    figures = JSON.parse(await readFile(out(), "utf8"));
  });

  test("gives figures that fit each other", () => {
    expect(figures).toMatchObject({
      quick: true,
      rounds: 2,
      failures: [],
      lines: [{ name: "metadata", unit: "req/s" }],
    });
    const [line] = figures.lines;
    expect(line?.rounds.ours).toHaveLength(2);
    expect(line?.rounds.anchor).toHaveLength(2);
    for (const rate of [...(line?.rounds.ours ?? []), ...(line?.rounds.anchor ?? [])]) expect(rate).toBeGreaterThan(50);
    const [first = 0, second = 0] = line?.rounds.ours.map((rate, i) => rate / (line.rounds.anchor[i] ?? 0)) ?? [];
    expect(line?.ratio).toBeCloseTo((first + second) / 2);
    expect(line?.latency?.ours.p99Ms).toBeGreaterThan(0);
  });

  test("shows them, and can show them again", async () => {
    expect(shown).toContain("| metadata |");
    expect(shown).toContain("these figures mean nothing");
    expect((await bench("--from", out())).stdout).toBe(shown);
  });

  test("puts them in their place on the page, and nothing else", () => {
    const page =
      "# Before\n\n<!-- figures begin: written by npm run bench -- --write-docs -->\nold\n<!-- figures end -->\n\nAfter\n";
    const once = withFigures(page, figures);
    expect(once).toContain("| metadata |");
    expect(once).not.toContain("old");
    expect(once.startsWith("# Before\n")).toBe(true);
    expect(once.endsWith("<!-- figures end -->\n\nAfter\n")).toBe(true);
    expect(withFigures(once, figures)).toBe(once);
    expect(() => withFigures("# No place\n", figures)).toThrow("has lost the place");
  });
});

test("a row that is not there is wrong usage", async () => {
  await expect(bench("no-such-row")).rejects.toThrow('there is no row "no-such-row"');
  await expect(bench("--rounds", "0", "metadata")).rejects.toThrow('--rounds: "0"');
  expect((await bench("--list")).stdout).toContain("download-postgres");
});
