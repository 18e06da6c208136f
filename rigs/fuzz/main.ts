/** `npm run fuzz` sends bad input to every route of a server and checks that it survives. See docs/reliability.md. */
import { parseArgs } from "node:util";
import { stopAll } from "../harness/processes.ts";
import { summaryOf } from "./report.ts";
import { fuzz } from "./run.ts";

const USAGE = `Usage: npm run fuzz -- [options]

  --requests N   Number of requests (default: 200000)
  --seed N       Seed of the random numbers (default: the time)

Ctrl-C ends the run early and prints the report.
`;
const WARM_UP = 20_000;
const BASELINE_MS = 5_000;
const IDLE_MS = 3_000;

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { requests: { type: "string" }, seed: { type: "string" }, help: { type: "boolean" } },
  });
  if (values.help) {
    print(USAGE);
    return 0;
  }
  const requests = Number(values.requests ?? 200_000);
  const seed = Number(values.seed ?? Date.now() % 1_000_000_000);
  print(`Sending ${requests} requests with seed ${seed}\n`);
  const interrupted = new AbortController();
  process.once("SIGINT", () => interrupted.abort());
  try {
    const warmUp = Math.min(WARM_UP, requests);
    const progress = (text: string) => print(`${text}\n`);
    const pauses = { baselineMs: BASELINE_MS, idleMs: IDLE_MS };
    const report = await fuzz({ requests, seed, warmUp, ...pauses, progress, signal: interrupted.signal });
    print(summaryOf(report));
    for (const violation of report.violations) print(`\n${violation}\n`);
    return report.violations.length > 0 ? 1 : 0;
  } finally {
    await stopAll();
  }
}

function print(text: string): void {
  process.stdout.write(text);
}
