import { markdownTable } from "../harness/markdown-table.ts";
import { KINDS } from "./ledger.ts";
import type { Report } from "./run.ts";

/** A Markdown table with a row for each run, for docs/reliability.md. */
export function tableOf(reports: readonly Report[]): string {
  const columns = [
    "killed",
    "kills",
    ...KINDS,
    "unanswered",
    "lost",
    "half done",
    "ready again: median, maximum",
    "then behind: maximum",
  ];
  return markdownTable(columns, reports.map(cellsOf));
}

function cellsOf({ terms, ledger, lost, halfDone, readyMs, behindMs }: Report): (string | number)[] {
  const engine = terms.engine === "sqlite" ? "SQLite" : "PostgreSQL";
  const processes = terms.processes === 1 ? "1 process" : `${terms.processes} processes`;
  const service = terms.crashDatabase ? `${engine} itself, ${processes}` : `${processes} on ${engine}`;
  const sorted = readyMs.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const ready = `${seconds(median)}, ${seconds(sorted.at(-1) ?? 0)}`;
  const answered = KINDS.map((kind) => ledger.answered[kind]);
  const behind = seconds(Math.max(...behindMs));
  return [service, readyMs.length, ...answered, ledger.unanswered, lost.length, halfDone.length, ready, behind];
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
