/** `npm run load` measures the service under sustained load and in a stampede. See docs/reliability.md. */
import { parseArgs } from "node:util";
import { stopAll } from "../harness/processes.ts";
import { day } from "./day.ts";
import { dayTable, stampedeTable, steadyTable } from "./report.ts";
import { stampede } from "./stampede.ts";
import { type SteadyReport, steady } from "./steady.ts";

const USAGE = `Usage: npm run load -- [steady] [stampede] [day] [options]

Runs the first two parts by default.

  --minutes N       How long the steady load lasts (default: 10)
  --connections N   Connections of the steady load (default: 1000)
  --clients N       Clients that sync the same new build within a minute (default: 10000)
  --customers N     Customers whose requests of a day are compared with docs/operate/sizing.md (default: 1000)
`;
const DEFAULT_PARTS = ["steady", "stampede"];
const PARTS = [...DEFAULT_PARTS, "day"];
const SATURATED_SECONDS = 15;
/** Less than a minute, because the last client needs some time too. */
const STAMPEDE_SECONDS = 55;
const MEMORY_GROWTH_MAX = 1.1;

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  let options: ReturnType<typeof parse>;
  try {
    options = parse(args);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
    return 2;
  }
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stopAll().then(() => process.exit(1)));
  const errors: string[] = [];
  if (options.parts.includes("steady")) {
    const { connections, minutes } = options;
    const terms = { connections, saturatedSeconds: SATURATED_SECONDS, intervals: minutes, intervalSeconds: 60 };
    const report = await steady(terms, progress);
    process.stdout.write(`\n${steadyTable(report)}\n`);
    errors.push(...report.errors, ...memoryGrowth(report));
  }
  if (options.parts.includes("stampede")) {
    const report = await stampede({ clients: options.clients, seconds: STAMPEDE_SECONDS }, progress);
    process.stdout.write(`\n${stampedeTable(report)}`);
    errors.push(...report.errors);
  }
  if (options.parts.includes("day")) {
    const report = await day(options.customers, progress);
    process.stdout.write(`\n${dayTable(report)}`);
    errors.push(...report.errors);
  }
  for (const error of errors) process.stderr.write(`${error}\n`);
  return errors.length > 0 ? 1 : 0;
}

/** Compares the last minute with the second one: in the first, caches are still filling. */
function memoryGrowth({ intervals }: SteadyReport): string[] {
  const [, early] = intervals;
  const late = intervals.at(-1);
  if (!early || !late || late.residentMb <= early.residentMb * MEMORY_GROWTH_MAX) return [];
  return [`the memory grew from ${Math.round(early.residentMb)} to ${Math.round(late.residentMb)} MB`];
}

function parse(args: string[]) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      minutes: { type: "string", default: "10" },
      connections: { type: "string", default: "1000" },
      clients: { type: "string", default: "10000" },
      customers: { type: "string", default: "1000" },
    },
  });
  const unknown = positionals.find((name) => !PARTS.includes(name));
  if (unknown !== undefined) throw new Error(`unknown part "${unknown}"`);
  return {
    parts: positionals.length > 0 ? positionals : DEFAULT_PARTS,
    minutes: parseCount("--minutes", values.minutes),
    connections: parseCount("--connections", values.connections),
    clients: parseCount("--clients", values.clients),
    customers: parseCount("--customers", values.customers),
  };
}

function parseCount(option: string, text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new Error(`${option} must be a positive whole number`);
  return Number(text);
}

function progress(line: string): void {
  process.stdout.write(`${line}\n`);
}
