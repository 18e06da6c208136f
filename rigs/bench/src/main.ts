/** `npm run bench` compares dbdepot to other programs on the same machine. See docs/performance.md. */
import { rmSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { stopAll } from "../../harness/processes.ts";
import { isInstalled } from "../../harness/tools.ts";
import { Bench } from "./bench.ts";
import { deltaTable } from "./deltas/deltas.ts";
import { specialTable } from "./deltas/special.ts";
import type { Result } from "./result.ts";
import { clientRows } from "./rows/client.ts";
import { growthRows, longHistoryRows } from "./rows/growth.ts";
import { postgresRows, requestRows } from "./rows/requests.ts";
import { demoStartRow } from "./rows/start.ts";
import { streamRows } from "./rows/streams.ts";
import { tableOf } from "./table.ts";
import { parquetTable } from "./tables.ts";

const DOCS = join(import.meta.dirname, "../../../docs/performance.md");
const DOCS_TABLES = {
  table: /(?<=<!-- table -->\n)[\s\S]*(?=<!-- end of table -->)/,
  deltas: /(?<=<!-- deltas -->\n)[\s\S]*(?=<!-- end of deltas -->)/,
  tables: /(?<=<!-- tables -->\n)[\s\S]*(?=<!-- end of tables -->)/,
};

const GROUPS: Record<string, { needs: string[]; rows(bench: Bench): AsyncGenerator<Result> }> = {
  requests: { needs: ["wrk"], rows: requestRows },
  postgres: { needs: ["wrk"], rows: postgresRows },
  streams: { needs: ["nginx", "curl"], rows: streamRows },
  client: { needs: ["nginx", "curl"], rows: clientRows },
  start: { needs: [], rows: demoStartRow },
  growth: { needs: ["wrk"], rows: growthRows },
  history: { needs: ["wrk"], rows: longHistoryRows },
};

/** These have tables of their own, and take so long that they only run if asked for. */
const LONG_GROUPS = {
  deltas: async (bench: Bench) => `${await deltaTable(bench)}\n${await specialTable(bench)}`,
  tables: parquetTable,
};

const USAGE = `Usage: npm run bench -- [GROUP ...] [options]

Groups: ${Object.keys(GROUPS).join(", ")} (default: all of these)
        deltas: patches between builds
        tables: databases written as Parquet

  --quick        Run one short round with little data, as a smoke test (results are meaningless)
  --write-docs   Write the table to docs/performance.md
`;

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  let options: ReturnType<typeof parse>;
  try {
    options = parse(args);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
    return 2;
  }
  if (options.help) return print(USAGE);

  const began = performance.now();
  const failures: string[] = [];
  const finish = async (name: keyof typeof DOCS_TABLES, table: string) => {
    const report = `${table}\n${machine()}, ${Math.round((performance.now() - began) / 60_000)} minutes.\n`;
    print(`\n${report}`);
    if (options["write-docs"]) await writeDocs(DOCS_TABLES[name], report);
  };
  const groups = options.groups.filter((name) => name in GROUPS);
  if (groups.length > 0) {
    const measured = await measure(groups, options.quick);
    failures.push(...measured.failures);
    await finish("table", tableOf(measured.results));
  }
  for (const name of ["deltas", "tables"] as const) {
    if (!options.groups.includes(name)) continue;
    await using bench = await Bench.open(options.quick);
    await finish(name, await stoppable(bench, () => LONG_GROUPS[name](bench)));
  }
  for (const failure of failures) process.stderr.write(`${failure}\n`);
  return failures.length > 0 ? 1 : 0;
}

function parse(args: string[]) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      help: { type: "boolean", default: false },
      quick: { type: "boolean", default: false },
      "write-docs": { type: "boolean", default: false },
    },
  });
  const unknown = positionals.find((name) => !(name in GROUPS) && !(name in LONG_GROUPS));
  if (unknown !== undefined) throw new Error(`unknown group "${unknown}"`);
  return { ...values, groups: positionals.length > 0 ? positionals : Object.keys(GROUPS) };
}

async function measure(names: string[], isQuick: boolean): Promise<{ results: Result[]; failures: string[] }> {
  const results: Result[] = [];
  const failures: string[] = [];
  for (const name of names) {
    const { needs, rows } = GROUPS[name] as (typeof GROUPS)[string];
    const missing = needs.filter((program) => !isInstalled(program));
    if (missing.length > 0) {
      failures.push(`${name}: ${missing.join(", ")} not installed`);
      continue;
    }
    await using bench = await Bench.open(isQuick);
    try {
      await stoppable(bench, async () => {
        for await (const result of rows(bench)) results.push(result);
      });
    } catch (error) {
      failures.push(`${name}: ${(error as Error).message}`);
    }
  }
  return { results, failures };
}

/** Stops everything that was started if a signal arrives. */
async function stoppable<T>(bench: Bench, action: () => Promise<T>): Promise<T> {
  const onSignal = () => stopEverything(bench);
  process.once("SIGINT", onSignal).once("SIGTERM", onSignal);
  try {
    return await action();
  } finally {
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  }
}

async function stopEverything({ directory }: Bench): Promise<void> {
  await stopAll();
  rmSync(directory, { recursive: true, force: true });
  process.exit(1);
}

function machine(): string {
  const processors = cpus();
  const memoryGiB = Math.round(totalmem() / 2 ** 30);
  const date = new Date().toISOString().slice(0, 10);
  return `Measured on ${date}: ${processors.length} cores (${processors[0]?.model}), ${memoryGiB} GiB, Node.js ${process.version}`;
}

async function writeDocs(table: RegExp, report: string): Promise<void> {
  const page = await readFile(DOCS, "utf8");
  if (!table.test(page)) throw new Error("docs/performance.md has no table markers");
  await writeFile(
    DOCS,
    page.replace(table, () => `\n${report}\n`),
  );
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}
