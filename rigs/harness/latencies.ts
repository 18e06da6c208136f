export interface Latencies {
  requests: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

export function latenciesOf(durationsMs: readonly number[]): Latencies {
  const sorted = durationsMs.toSorted((a, b) => a - b);
  const quantile = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { requests: sorted.length, p50Ms: quantile(0.5), p99Ms: quantile(0.99), maxMs: sorted.at(-1) ?? 0 };
}
