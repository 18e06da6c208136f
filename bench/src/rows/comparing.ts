import type { HttpRequest } from "../exchange.ts";
import { comparison, type Labels, type Line, medianLatency, type WantedRatio } from "../line.ts";
import { type LoadResult, load, loadInTurns } from "../load.ts";
import type { Rounds } from "../rounds.ts";
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
  /** Longer where a side goes on working for long at the end of its turn: most of that is to be its own. */
  turnMs?: number | undefined;
  /** Longer where a second brings too few requests for V8 to compile what they need: else it does so in the first rounds. */
  warmUpSeconds?: number | undefined;
  wanted: WantedRatio | null;
}

const WARM_UP_SECONDS = 1;
const TURN_MS = 50;

/** Puts two servers under load in turns, after some warming up: ours has more code that V8 has to get to know. */
export async function compareUnderLoad(
  workshop: Workshop,
  {
    labels,
    anchor,
    ours,
    status,
    connections,
    seconds,
    turnMs = TURN_MS,
    warmUpSeconds = WARM_UP_SECONDS,
    wanted,
  }: LoadComparison,
): Promise<{ line: Line; results: Rounds<LoadResult> }> {
  const { loader, rounds } = workshop;
  const task = ({ origin, requests }: Side, round: number, forSeconds = seconds) => ({
    origin,
    requests: requests(round),
    connections,
    seconds: forSeconds,
  });
  for (const side of [anchor, ours]) await load(loader, task(side, rounds, warmUpSeconds), { status });
  const results: Rounds<LoadResult> = { anchor: [], ours: [] };
  for (let round = 0; round < rounds; round += 1) {
    const tasks = { anchor: task(anchor, round), ours: task(ours, round) };
    const found = await loadInTurns(loader, tasks, { turnMs, first: round % 2 === 0 ? "anchor" : "ours" }, { status });
    results.anchor.push(found.anchor);
    results.ours.push(found.ours);
    const [other, own] = [perSecond(found.anchor), perSecond(found.ours)];
    workshop.say(`${labels.name} ${round + 1}/${rounds}: ${amount(own, "req/s")} beside ${amount(other, "req/s")}`);
  }
  const perSide = { anchor: results.anchor.map(perSecond), ours: results.ours.map(perSecond) };
  const line = comparison({ ...labels, unit: "req/s" }, perSide, wanted, medianLatency(results));
  return { line, results };
}

function perSecond({ requests, seconds }: LoadResult): number {
  return requests / seconds;
}
