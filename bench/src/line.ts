import { median, medianRatio, type Rounds } from "./rounds.ts";

export type Unit = "req/s" | "families/s" | "MB/s" | "MB" | "s" | "ms";

export interface Latency {
  p50Ms: number;
  p99Ms: number;
}

export type Wanted = { ratioAtLeast: number } | { ratioAtMost: number } | { below: number };

/** One line of the table: a figure, what it is held against, and what was wanted. */
export interface Line {
  name: string;
  what: string;
  unit: Unit;
  /** Medians of the rounds. */
  ours: number;
  anchor: number | null;
  /** The median of the rounds' ratios. */
  ratio: number | null;
  /** Null: nothing was asked for; the figure is there to be known. */
  wanted: Wanted | null;
  isReached: boolean | null;
  latency: { ours: Latency; anchor: Latency } | null;
  rounds: Rounds<number>;
}

export interface Labels {
  name: string;
  what: string;
  unit: Unit;
}

export type WantedRatio = Exclude<Wanted, { below: number }>;

/** Ours beside an anchor. */
export function comparison(
  labels: Labels,
  rounds: Rounds<number>,
  wanted: WantedRatio | null,
  latency: Line["latency"] = null,
): Line {
  const ratio = medianRatio(rounds);
  return {
    ...labels,
    ours: median(rounds.ours),
    anchor: median(rounds.anchor),
    ratio,
    wanted,
    isReached: wanted && isRatioReached(ratio, wanted),
    latency,
    rounds,
  };
}

function isRatioReached(ratio: number, wanted: WantedRatio): boolean {
  return "ratioAtLeast" in wanted ? ratio >= wanted.ratioAtLeast : ratio <= wanted.ratioAtMost;
}

/** Ours alone, which has to stay below a limit if there is one. */
export function lone(labels: Labels, values: number[], below: number | null): Line {
  const ours = median(values);
  return {
    ...labels,
    ours,
    anchor: null,
    ratio: null,
    wanted: below === null ? null : { below },
    isReached: below === null ? null : ours < below,
    latency: null,
    rounds: { anchor: [], ours: values },
  };
}

/** The same for the most memory that was in use; no line where the system does not tell. */
export function memoryLine(labels: Omit<Labels, "unit">, peaks: (number | null)[], belowMb: number | null): Line[] {
  const known = peaks.filter((peak) => peak !== null);
  if (known.length === 0) return [];
  const megabytes = Math.max(...known) / 1e6;
  return [lone({ ...labels, unit: "MB" }, [megabytes], belowMb)];
}

export function medianLatency(rounds: Rounds<Latency>): { ours: Latency; anchor: Latency } {
  const of = (values: Latency[]) => ({
    p50Ms: median(values.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(values.map(({ p99Ms }) => p99Ms)),
  });
  return { ours: of(rounds.ours), anchor: of(rounds.anchor) };
}
