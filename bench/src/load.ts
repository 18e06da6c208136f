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
}

/** wrk, or autocannon where that is not installed. */
export type Loader = "wrk" | "autocannon";

const TIMEOUT_SECONDS = 20;

/** As many requests as the other side takes, for so long, from a process of its own. */
export async function load(loader: Loader, task: LoadTask, expects: { status: number }): Promise<LoadResult> {
  const { stdout } = loader === "wrk" ? await runWrk(task) : await runAutocannon(task);
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

function runWrk({ origin, requests, connections, seconds }: LoadTask): Promise<Ended> {
  const script = join(import.meta.dirname, "load/wrk.lua");
  const timing = ["--duration", `${seconds}s`, "--timeout", `${TIMEOUT_SECONDS}s`];
  const input = requests.map((request) => `${textOf(request)}\0`).join("");
  return run("wrk", ["--threads", "1", "--connections", `${connections}`, ...timing, "--script", script, origin], {
    input,
  });
}

function runAutocannon(task: LoadTask): Promise<Ended> {
  return run(process.execPath, [join(import.meta.dirname, "load/autocannon.ts")], { input: JSON.stringify(task) });
}

function textOf({ path, headers }: HttpRequest): string {
  const lines = Object.entries({ Host: "127.0.0.1", ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}
