/** `npm run bench`: what dbdepot does beside what the machine can do at all. */
import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  type Figures,
  figuresText,
  RESULTS_FOLDER,
  readFigures,
  thisMachine,
  writeDocs,
  writeFigures,
} from "./figures.ts";
import { type Options, parseOptions, USAGE } from "./options.ts";
import { endAll } from "./processes.ts";
import { planRows, type Row, selectRows } from "./row.ts";
import { ROW_GROUPS, ROWS } from "./rows/all.ts";
import { findTools } from "./tools.ts";
import { Workshop } from "./workshop.ts";

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

type Results = Pick<Figures, "lines" | "failures">;

process.exitCode = await main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<number> {
  let options: Options;
  try {
    const wish = parseOptions(argv);
    if (wish.wants === "help") return show(USAGE);
    if (wish.wants === "list") return show(ROWS.map(({ name, what }) => `${name.padEnd(24)} ${what}\n`).join(""));
    options = wish.options;
    selectRows(ROWS, options.names);
  } catch (error) {
    process.stderr.write(`bench: ${(error as Error).message}\n\n${USAGE}`);
    return EXIT_USAGE;
  }
  const figures = options.from === undefined ? await measure(options) : await readFigures(options.from);
  show(figuresText(figures));
  if (options.writeDocs) await writeDocs(figures);
  return figures.failures.length > 0 ? EXIT_FAILED : 0;
}

function show(text: string): number {
  process.stdout.write(text);
  return 0;
}

async function measure(options: Options): Promise<Figures> {
  const began = new Date();
  const tools = await findTools();
  const plan = planRows(selectRows(ROWS, options.names), tools);
  for (const gap of plan.gaps) process.stderr.write(`${gap}\n`);
  await using workshop = await Workshop.open(options, tools);
  endOnSignal(workshop);
  const results: Results = { lines: [], failures: [] };
  for (const group of ROW_GROUPS) {
    for (const row of group) if (plan.rows.includes(row)) await measureRow(workshop, row, results);
    await workshop.clear();
  }
  const figures: Figures = {
    measured: began.toISOString(),
    tookSeconds: Math.round((Date.now() - began.getTime()) / 1000),
    machine: thisMachine(),
    load: workshop.loader,
    rounds: workshop.rounds,
    quick: options.quick,
    logLevel: process.env.DBDEPOT_LOG_LEVEL ?? null,
    gaps: plan.gaps,
    ...results,
  };
  const out = resolve(options.out ?? join(RESULTS_FOLDER, `${began.toISOString().replaceAll(":", "-")}.json`));
  await writeFigures(out, figures);
  workshop.say(`\nall figures: ${out}\n`);
  return figures;
}

/** One row that fails does not take the others along; the table tells of it, and so does the exit code. */
async function measureRow(workshop: Workshop, row: Row, { lines, failures }: Results): Promise<void> {
  const began = performance.now();
  workshop.say(`\n${row.name}: ${row.what}`);
  try {
    lines.push(...(await row.measure(workshop)));
  } catch (error) {
    const { message } = error as Error;
    failures.push({ name: row.name, message });
    workshop.say(`${row.name} could not be measured: ${message}`);
  }
  workshop.say(`${row.name} took ${Math.round((performance.now() - began) / 1000)} s`);
}

/** Leaves no server running and no gigabytes lying. */
function endOnSignal(workshop: Workshop): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, async () => {
      await endAll();
      await workshop[Symbol.asyncDispose]();
      // The row that was under way may have put something there again.
      rmSync(workshop.folder, { recursive: true, force: true });
      process.exit(EXIT_FAILED);
    });
  }
}
