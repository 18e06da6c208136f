import type { Bench } from "./bench.ts";
import { compared, type Goal, type Labels, type Result, type Rounds } from "./result.ts";
import { amount } from "./table.ts";

export interface Sides {
  anchor(round: number): Promise<number>;
  ours(round: number): Promise<number>;
}

/** Measures both sides in turn after a warm-up. Every other round starts with the other side. */
export async function compare(bench: Bench, labels: Labels, sides: Sides, goal: Goal): Promise<Result> {
  const rounds: Rounds = { ours: [], anchor: [] };
  for (const side of ["anchor", "ours"] as const) await sides[side](-1);
  for (let round = 0; round < bench.rounds; round += 1) {
    const order = round % 2 === 0 ? (["anchor", "ours"] as const) : (["ours", "anchor"] as const);
    for (const side of order) rounds[side].push(await sides[side](round));
  }
  const result = compared(labels, rounds, goal);
  const { ours, anchor } = result;
  bench.log(`${labels.what}: ${amount(ours, labels.unit)}, ${anchor?.ratio.toFixed(2)} of ${labels.anchorName}`);
  return result;
}
