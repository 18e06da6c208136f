/** Measures patches from one build to the next: their size, and the processor time to make and to apply them. */
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { markdownTable } from "../../../harness/markdown-table.ts";
import { run } from "../../../harness/processes.ts";
import { runCommand } from "../../../harness/server.ts";
import type { Bench } from "../bench.ts";
import { csvLines, nextDay } from "./rows.ts";

export const PATCH_FILES = resolve(import.meta.dirname, "../../../../packages/patches/test/patch-files.ts");
/** Of the large files, only what is typical is measured. */
const CHANGED_PERCENT: Record<number, number[]> = { 600000: [0.1, 1, 5, 20], 5000000: [1] };
export const ID = "geo_ip_v1";
const FORMATS = [
  { kind: "csvgz", name: "csv.gz", goalPercent: 2 },
  { kind: "mmdb", name: "mmdb", goalPercent: 1 },
];
/** The goals are for this much. */
const TYPICAL_PERCENT = 1;
const HEADER = [
  "rows",
  "changed",
  "format",
  "file",
  "patch",
  "share",
  "make",
  "apply",
  "memory",
  "faster below",
  "goal",
];

export interface Measured {
  resultBytes: number;
  patchBytes: number;
  cpuSeconds: number;
  peakMegabytes: number;
}

export async function deltaTable(bench: Bench): Promise<string> {
  const table: string[][] = [];
  const sizes: Record<number, number[]> = bench.isQuick ? { 5000: [TYPICAL_PERCENT] } : CHANGED_PERCENT;
  for (const [rows, percents] of Object.entries(sizes).map(([each, list]) => [Number(each), list] as const)) {
    const base = await exportRows(bench, csvLines(rows), "2026-01-01");
    for (const percent of percents) {
      const result = await exportRows(bench, nextDay(csvLines(rows), percent / 100), "2026-01-02");
      for (const format of FORMATS) {
        const cells = await measure(bench, base, result, format, percent);
        table.push([rows.toLocaleString("en-US"), `${percent} %`, format.name, ...cells]);
        bench.log(table.at(-1)?.join(", ") ?? "");
      }
      await rm(result, { recursive: true });
    }
    await rm(base, { recursive: true });
  }
  return markdownTable(HEADER, table);
}

/** Returns the directory of the exported files. */
export async function exportRows(bench: Bench, lines: Iterable<string>, updated: string): Promise<string> {
  const [csv, out] = [bench.newPath("rows.csv"), bench.newPath("export")];
  await pipeline(batches(lines), createWriteStream(csv));
  await runCommand({ dataDir: bench.newPath("data") }, "export", csv, "--id", ID, "--out", out, "--updated", updated);
  await rm(csv);
  return out;
}

async function measure(
  bench: Bench,
  base: string,
  result: string,
  { kind, name, goalPercent }: (typeof FORMATS)[number],
  percent: number,
): Promise<string[]> {
  const patch = bench.newPath("patch");
  const files = [base, result].map((directory) => join(directory, `${ID}.${name}`));
  const [make, apply] = [await patchFiles("make"), await patchFiles("apply")];
  const sharePercent = (make.patchBytes / make.resultBytes) * 100;
  const savedMegabits = ((make.resultBytes - make.patchBytes) * 8) / 1e6;
  const isReached = sharePercent <= goalPercent;
  return [
    `${(make.resultBytes / 1e6).toFixed(1)} MB`,
    `${(make.patchBytes / 1e6).toFixed(2)} MB`,
    `${sharePercent.toFixed(2)} %`,
    `${make.cpuSeconds} s`,
    `${apply.cpuSeconds} s`,
    `${apply.peakMegabytes} MB`,
    `${Math.round(savedMegabits / apply.cpuSeconds)} Mbit/s`,
    percent === TYPICAL_PERCENT ? `at most ${goalPercent} %: ${isReached ? "ok" : "MISSED"}` : "",
  ];

  async function patchFiles(action: "make" | "apply"): Promise<Measured> {
    return JSON.parse((await run(process.execPath, [PATCH_FILES, action, kind, ...files, patch])).stdout);
  }
}

/** Writing line by line would take longer than everything else. */
export function* batches(lines: Iterable<string>): Generator<string> {
  let batch = "";
  for (const line of lines) {
    batch += line;
    if (batch.length < 2 ** 16) continue;
    yield batch;
    batch = "";
  }
  yield batch;
}
