/** What two sides gave, round by round. */
export interface Rounds<T> {
  anchor: T[];
  ours: T[];
}

/**
 * The two sides take turns, so that whatever else the machine does hits both. Every other round begins with the other
 * side: neither profits from always being the second.
 */
export async function alternate<T>(
  rounds: number,
  sides: { anchor(round: number): Promise<T>; ours(round: number): Promise<T> },
  onRound: (round: number, anchor: T, ours: T) => void,
): Promise<Rounds<T>> {
  const results: Rounds<T> = { anchor: [], ours: [] };
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? (["anchor", "ours"] as const) : (["ours", "anchor"] as const);
    for (const side of order) results[side].push(await sides[side](round));
    onRound(round, results.anchor[round] as T, results.ours[round] as T);
  }
  return results;
}

export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError("there is no median of nothing");
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

/** The median of the rounds' ratios, not the ratio of the medians: each round compares what ran side by side. */
export function medianRatio({ anchor, ours }: Rounds<number>): number {
  return median(ours.map((value, round) => value / (anchor[round] as number)));
}
