/**
 * `npm run chaos` kills the service under load and checks that nothing it answered is lost. See docs/reliability.md.
 */
import { parseArgs } from "node:util";
import { ENGINES, type Engine } from "./database.ts";
import { isClean, type Report, run, type Terms } from "./run.ts";
import { tableOf } from "./table.ts";

const USAGE = `Usage: npm run chaos -- [options]

  --kills N               Number of kills of each run (default: 100)
  --database NAME         sqlite or postgres (default: both)
  --processes N           Processes that serve the API (default: 1, then 3)
  --crash-database        Crash PostgreSQL instead of the service
  --seed N                Repeats the choices of an earlier run (default: random)
`;

// Exiting kills the service, which has its own process group and would survive Ctrl-C.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  let runs: Terms[];
  try {
    runs = parse(args);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
    return 2;
  }
  const reports: Report[] = [];
  for (const terms of runs) {
    const { engine, processes, seed } = terms;
    process.stdout.write(`${engine}, processes: ${processes}, seed: ${seed}\n`);
    reports.push(await run(terms, (line) => process.stdout.write(`  ${line}\n`)));
    // Printed after each run, because a later one may fail.
    process.stdout.write(`\n${tableOf(reports)}\n`);
  }
  return reports.every(isClean) ? 0 : 1;
}

function parse(args: string[]): Terms[] {
  const { values } = parseArgs({
    args,
    options: {
      kills: { type: "string", default: "100" },
      database: { type: "string" },
      processes: { type: "string" },
      "crash-database": { type: "boolean", default: false },
      seed: { type: "string" },
    },
  });
  const crashDatabase = values["crash-database"];
  const kills = parseCount("--kills", values.kills);
  const seed = values.seed === undefined ? Math.floor(Math.random() * 1e9) : parseCount("--seed", values.seed);
  const engines = crashDatabase ? (["postgres"] as const) : ENGINES;
  const chosen = values.database === undefined ? engines : [requireEngine(values.database, engines)];
  const processes = values.processes === undefined ? [1, 3] : [parseCount("--processes", values.processes)];
  return chosen.flatMap((engine) =>
    processes.map((count) => ({ engine, processes: count, kills, seed, crashDatabase })),
  );
}

function requireEngine(text: string, engines: readonly Engine[]): Engine {
  const engine = engines.find((name) => name === text);
  if (!engine) throw new Error(`--database must be ${engines.join(" or ")}`);
  return engine;
}

function parseCount(option: string, text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`${option} must be a positive whole number`);
  return Number(text);
}
