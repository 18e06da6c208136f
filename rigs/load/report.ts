import { markdownTable } from "../harness/markdown-table.ts";
import type { DayReport } from "./day.ts";
import type { StampedeReport } from "./stampede.ts";
import type { SteadyReport } from "./steady.ts";

/** Markdown, for the terminal and docs/reliability.md. */
export function steadyTable({ terms, maximum, rate, intervals, errors }: SteadyReport): string {
  const rows = intervals.map(({ requests, p50Ms, p99Ms, maxMs, residentMb }, i) => [
    `${(i + 1) * terms.intervalSeconds} s`,
    count(requests),
    milliseconds(p50Ms),
    milliseconds(p99Ms),
    milliseconds(maxMs),
    `${Math.round(residentMb)} MB`,
  ]);
  return `${terms.connections} connections, at most ${count(maximum)} requests/s, measured at ${count(rate)} requests/s, ${errors.length} errors

${markdownTable(["until", "requests", "p50", "p99", "maximum", "memory"], rows)}`;
}

export function dayTable({ figures }: DayReport): string {
  const rows = figures.map(({ what, predicted, measured }) => [
    what,
    predicted.toFixed(1),
    measured.toFixed(1),
    `${(measured / predicted).toFixed(2)}`,
  ]);
  return markdownTable(["a day", "model", "measured", "ratio"], rows);
}

export function stampedeTable({
  terms,
  sizeBytes,
  finishedSeconds,
  p50Ms,
  p99Ms,
  maxMs,
  peakMb,
  errors,
}: StampedeReport): string {
  const rows = [
    ["clients", `${count(terms.clients)}, which polled within ${terms.seconds} s`],
    ["file", `${count(sizeBytes / 1000)} kB`],
    ["last client done", `${finishedSeconds.toFixed(1)} s after the publication`],
    ["one sync", `p50 ${milliseconds(p50Ms)}, p99 ${milliseconds(p99Ms)}, maximum ${milliseconds(maxMs)}`],
    ["peak memory of the server", `${Math.round(peakMb)} MB`],
    ["errors", count(errors.length)],
  ];
  return markdownTable(["what", "result"], rows);
}

function count(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

function milliseconds(value: number): string {
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
}
