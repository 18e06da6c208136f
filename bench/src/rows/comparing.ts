import type { HttpRequest } from "../exchange.ts";
import { comparison, type Labels, type Line, medianLatency, type WantedRatio } from "../line.ts";
import { type LoadResult, load } from "../load.ts";
import { alternate } from "../rounds.ts";
import { amount } from "../table.ts";
import type { Workshop } from "../workshop.ts";

export interface Side {
  origin: string;
  /** For each round anew, where no request should be seen twice. */
  requests(round: number): HttpRequest[];
}

export interface LoadComparison {
  labels: Omit<Labels, "unit">;
  anchor: Side;
  ours: Side;
  status: number;
  connections: number;
  /** For each side in each round. */
  seconds: number;
  wanted: WantedRatio | null;
  /** Beyond the usual number, where both sides are nearly the same: what else the machine does comes and goes. */
  moreRounds?: number;
}

const WARM_UP_SECONDS = 1;

/** Puts two servers under load in turn, after some warming up: ours has more code that V8 has to get to know. */
export async function compareUnderLoad(
  workshop: Workshop,
  { labels, anchor, ours, status, connections, seconds, wanted, moreRounds = 0 }: LoadComparison,
): Promise<{ line: Line; results: { anchor: LoadResult[]; ours: LoadResult[] } }> {
  const under = ({ origin, requests }: Side, round: number, forSeconds = seconds) =>
    load(workshop.loader, { origin, requests: requests(round), connections, seconds: forSeconds }, { status });
  const { quick } = workshop.options;
  const rounds = workshop.rounds + (quick ? 0 : moreRounds);
  await under(anchor, rounds, WARM_UP_SECONDS);
  await under(ours, rounds, WARM_UP_SECONDS);
  const results = await alternate(
    rounds,
    { anchor: (round) => under(anchor, round), ours: (round) => under(ours, round) },
    (round, anchorResult, ourResult) => {
      const [other, own] = [perSecond(anchorResult), perSecond(ourResult)];
      workshop.say(`${labels.name} ${round + 1}/${rounds}: ${amount(own, "req/s")} beside ${amount(other, "req/s")}`);
    },
  );
  const perSide = { anchor: results.anchor.map(perSecond), ours: results.ours.map(perSecond) };
  const line = comparison({ ...labels, unit: "req/s" }, perSide, wanted, medianLatency(results));
  return { line, results };
}

function perSecond({ requests, seconds }: LoadResult): number {
  return requests / seconds;
}
