export type Unit = "req/s" | "MB/s" | "MB" | "s";

export type Goal = { ratioAtLeast: number } | { ratioAtMost: number } | { below: number };

/** One row of the table. */
export interface Result {
  what: string;
  unit: Unit;
  ours: number;
  anchor: { name: string; value: number; ratio: number } | null;
  goal: Goal;
}

/** The measurements of both sides in each round. */
export interface Rounds {
  ours: number[];
  anchor: number[];
}

export interface Labels {
  what: string;
  unit: Unit;
  anchorName: string;
}

/** The ratio is the median of the rounds' ratios: both sides of a round ran within seconds of each other. */
export function compared({ what, unit, anchorName }: Labels, { ours, anchor }: Rounds, goal: Goal): Result {
  const ratio = median(ours.map((value, round) => value / (anchor[round] ?? Number.NaN)));
  return { what, unit, ours: median(ours), anchor: { name: anchorName, value: median(anchor), ratio }, goal };
}

export function single(what: string, unit: Unit, values: number[], below: number): Result {
  return { what, unit, ours: median(values), anchor: null, goal: { below } };
}

export function isReached({ ours, anchor, goal }: Result): boolean {
  if ("below" in goal) return ours < goal.below;
  const ratio = anchor?.ratio ?? Number.NaN;
  return "ratioAtLeast" in goal ? ratio >= goal.ratioAtLeast : ratio <= goal.ratioAtMost;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
