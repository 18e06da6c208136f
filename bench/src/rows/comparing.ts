import type { HttpRequest } from "../exchange.ts";
import { comparison, type Labels, type Line, medianLatency } from "../line.ts";
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
  ratioAtLeast: number;
}

/** Puts two servers under load in turn, after some warming up: ours has more code that V8 has to get to know. */
export async function compareUnderLoad(
  workshop: Workshop,
  { labels, anchor, ours, status, connections, seconds, ratioAtLeast }: LoadComparison,
): Promise<{ line: Line; results: { anchor: LoadResult[]; ours: LoadResult[] } }> {
  const under = ({ origin, requests }: Side, round: number, forSeconds = seconds) =>
    load(workshop.loader, { origin, requests: requests(round), connections, seconds: forSeconds }, { status });
  await under(anchor, workshop.rounds, 1);
  await under(ours, workshop.rounds);
  const results = await alternate(
    workshop.rounds,
    { anchor: (round) => under(anchor, round), ours: (round) => under(ours, round) },
    (round, anchorResult, ourResult) => {
      const [other, own] = [perSecond(anchorResult), perSecond(ourResult)];
      workshop.say(
        `${labels.name} ${round + 1}/${workshop.rounds}: ${amount(own, "req/s")} beside ${amount(other, "req/s")}`,
      );
    },
  );
  const rounds = { anchor: results.anchor.map(perSecond), ours: results.ours.map(perSecond) };
  const line = comparison({ ...labels, unit: "req/s" }, rounds, { ratioAtLeast }, medianLatency(results));
  return { line, results };
}

function perSecond({ requests, seconds }: LoadResult): number {
  return requests / seconds;
}
