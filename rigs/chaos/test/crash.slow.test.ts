import { describe, expect, it } from "vitest";
import { needs } from "../../harness/needs.ts";
import { run, type Terms } from "../run.ts";

const SEED = 1;

const RUNS: [string, Terms][] = [
  ["one process on SQLite", { engine: "sqlite", processes: 1, kills: 5, seed: SEED, crashDatabase: false }],
  ["three processes on PostgreSQL", { engine: "postgres", processes: 3, kills: 3, seed: SEED, crashDatabase: false }],
  ["PostgreSQL itself", { engine: "postgres", processes: 1, kills: 2, seed: SEED, crashDatabase: true }],
];

describe("Killing", needs("Linux"), () => {
  it.each(RUNS)("%s under load loses nothing that was answered, and leaves nothing half done", async (_, terms) => {
    const { lost, halfDone, ledger, readyMs } = await run(terms, () => {});
    expect({ lost, halfDone, unexpected: ledger.unexpected }).toEqual({ lost: [], halfDone: [], unexpected: [] });
    expect(readyMs).toHaveLength(terms.kills);
    expect(ledger.answered.download).toBeGreaterThan(0);
    expect(ledger.comparisons).toBeGreaterThan(0);
  });
});
