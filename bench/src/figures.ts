import { mkdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { cpus, release, totalmem } from "node:os";
import { dirname, resolve } from "node:path";
import type { Line } from "./line.ts";
import type { Loader } from "./load.ts";
import { tableOf } from "./table.ts";

/** Everything that a run found: the JSON file. */
export interface Figures {
  measured: string;
  tookSeconds: number;
  machine: { cores: number; processor: string; memoryGiB: number; system: string; node: string };
  load: Loader;
  rounds: number;
  quick: boolean;
  /** The log level that was set; null: the service's own default. */
  logLevel: string | null;
  gaps: string[];
  failures: { name: string; message: string }[];
  lines: Line[];
}

export const RESULTS_FOLDER = resolve(import.meta.dirname, "../results");
const DOCS = resolve(import.meta.dirname, "../../docs/performance.md");
const BEGIN = "<!-- figures begin: written by npm run bench -- --write-docs -->";
const END = "<!-- figures end -->";

export function thisMachine(): Figures["machine"] {
  const processors = cpus();
  return {
    cores: processors.length,
    processor: processors[0]?.model ?? "unknown",
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${release()}`,
    node: process.version,
  };
}

export async function writeFigures(path: string, figures: Figures): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  await writeFile(path, `${JSON.stringify(figures, null, 2)}\n`);
}

export async function readFigures(path: string): Promise<Figures> {
  return JSON.parse(await readFile(path, "utf8")) as Figures;
}

/** The table with what one must know to read it. */
export function figuresText(figures: Figures): string {
  const { measured, machine, load, rounds, quick, gaps, failures, lines, tookSeconds, logLevel } = figures;
  const notes = [
    ...(quick ? ["A smoke run: these figures mean nothing."] : []),
    ...(logLevel === null ? [] : [`The service's log level was ${logLevel}.`]),
    ...gaps,
    ...failures.map(({ name, message }) => `${name} could not be measured: ${message}`),
  ];
  const about =
    `Measured on ${measured.slice(0, 10)} in ${tookSeconds} s: ${machine.cores} cores ` +
    `(${machine.processor}), ${machine.memoryGiB} GiB, ${machine.system}, Node.js ${machine.node}; ` +
    `load from ${load}; rounds: ${rounds}.`;
  return `${tableOf(lines)}\n${[about, ...notes].join("\n")}\n`;
}

export async function writeDocs(figures: Figures): Promise<void> {
  const page = await readFile(DOCS, "utf8");
  await writeFile(DOCS, withFigures(page, figures));
}

/** The page with these figures in their place. */
export function withFigures(page: string, figures: Figures): string {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from === -1 || to < from) throw new Error("docs/performance.md has lost the place where the figures go");
  return `${page.slice(0, from)}${BEGIN}\n\n${figuresText(figures)}\n${page.slice(to)}`;
}
