import { join } from "node:path";
import type { HttpRequest } from "./exchange.ts";
import { type Ended, run } from "./processes.ts";

export interface LoadTask {
  origin: string;
  /** Sent one after the other, and again from the first when all were sent. */
  requests: HttpRequest[];
  connections: number;
  seconds: number;
}

export interface LoadResult {
  requests: number;
  seconds: number;
  bytes: number;
  /** Answered with a status of 400 or more. */
  refused: number;
  /** Not answered, or not in time. */
  broken: number;
  p50Ms: number;
  p99Ms: number;
  /** Turns had begun before the load was ready. */
  isLate?: boolean;
}

/** wrk, or autocannon where that is not installed. */
export type Loader = "wrk" | "autocannon";

/** How two loads take turns. */
export interface Turns {
  turnMs: number;
  first: "anchor" | "ours";
}

interface WrkTurns {
  /** By the system's clock. */
  beginMs: number;
  turnMs: number;
  /** Of both together. */
  count: number;
  /** Its own first one. */
  number: 0 | 1;
}

const TIMEOUT_SECONDS = 20;
/** For wrk to read its requests and connect; each time that is too little, twice as long. */
const LEAD_MS = 400;
const TRIES_MAX = 4;
/** For the last answers. */
const TAIL_MS = 20;

/** As many requests as the other side takes, for so long, from a process of its own. */
export async function load(loader: Loader, task: LoadTask, expects: { status: number }): Promise<LoadResult> {
  const ended = await (loader === "wrk" ? runWrk(task) : runAutocannon(task));
  return resultOf(loader, ended, task, expects);
}

/**
 * Two sides under load, each for its seconds, in short turns: what else the machine does comes and goes within a tenth
 * of a second and so hits both alike (docs/performance.md). Connections stay open, and a turn ends with the answers that
 * are under way.
 */
export async function loadInTurns(
  loader: Loader,
  tasks: { anchor: LoadTask; ours: LoadTask },
  { turnMs, first }: Turns,
  expects: { status: number },
): Promise<{ anchor: LoadResult; ours: LoadResult }> {
  if (loader === "autocannon") return loadOneByOne(loader, tasks, first, expects);
  for (let tries = 1; ; tries += 1) {
    const leadMs = LEAD_MS * 2 ** (tries - 1);
    const beginMs = Date.now() + leadMs;
    const runSide = async (side: "anchor" | "ours") => {
      const task = tasks[side];
      const count = Math.round((task.seconds * 1000) / turnMs) * 2;
      const ended = await runWrk(task, { beginMs, turnMs, count, number: side === first ? 0 : 1 });
      return { ...resultOf(loader, ended, task, expects), seconds: (count / 2) * (turnMs / 1000) };
    };
    const [anchor, ours] = await Promise.all([runSide("anchor"), runSide("ours")]);
    if (!anchor.isLate && !ours.isLate) return { anchor, ours };
    if (tries === TRIES_MAX) throw new Error(`wrk was not ready within ${leadMs} ms`);
  }
}

/** autocannon cannot pause: each side has one turn. */
async function loadOneByOne(
  loader: Loader,
  tasks: { anchor: LoadTask; ours: LoadTask },
  first: Turns["first"],
  expects: { status: number },
): Promise<{ anchor: LoadResult; ours: LoadResult }> {
  const firstResult = await load(loader, tasks[first], expects);
  if (first === "anchor") return { anchor: firstResult, ours: await load(loader, tasks.ours, expects) };
  return { anchor: await load(loader, tasks.anchor, expects), ours: firstResult };
}

function resultOf(loader: Loader, { stdout }: Ended, task: LoadTask, expects: { status: number }): LoadResult {
  const result = JSON.parse(/^RESULT (.*)$/m.exec(stdout)?.[1] ?? "null") as LoadResult | null;
  if (!result) throw new Error(`${loader} gave no result: ${stdout}`);
  const expected = expects.status >= 400 ? result.requests : 0;
  if (result.requests === 0 || result.broken > 0 || result.refused !== expected) {
    throw new Error(
      `of ${result.requests} requests to ${task.origin}${task.requests[0]?.path}, each to be answered with ` +
        `${expects.status}, ${result.refused} were refused and ${result.broken} had no answer`,
    );
  }
  return result;
}

function runWrk({ origin, requests, connections, seconds }: LoadTask, turns?: WrkTurns): Promise<Ended> {
  const script = join(import.meta.dirname, "load/wrk.lua");
  const options = ["--threads", "1", "--connections", `${connections}`, "--timeout", `${TIMEOUT_SECONDS}s`];
  const input = requests.map((request) => `${textOf(request)}\0`).join("");
  if (!turns) return run("wrk", [...options, "--duration", `${seconds}s`, "--script", script, origin], { input });
  const { beginMs, turnMs, count, number } = turns;
  // Interrupted, it says what it has measured; but it ignores that while it starts, and then has to end by itself. All
  // turns may be over by now, on a machine that was held up: then wrk says that it was late.
  const timeout = Math.max(1, beginMs - Date.now() + count * turnMs + TAIL_MS);
  const duration = `${Math.ceil(timeout / 1000) + 1}s`;
  const args = [...options, "--duration", duration, "--script", script, origin, "--", beginMs, turnMs, count, number];
  return run("wrk", args.map(String), { input, timeout, killSignal: "SIGINT" });
}

function runAutocannon(task: LoadTask): Promise<Ended> {
  return run(process.execPath, [join(import.meta.dirname, "load/autocannon.ts")], { input: JSON.stringify(task) });
}

function textOf({ path, headers }: HttpRequest): string {
  const lines = Object.entries({ Host: "127.0.0.1", ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}
