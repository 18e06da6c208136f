import type { Latencies } from "../harness/latencies.ts";
import { markdownTable } from "../harness/markdown-table.ts";
import type { Report } from "./run.ts";

/** A Markdown table, for the terminal and docs/reliability.md. */
export function summaryOf(report: Report): string {
  const { heapBytes, statuses } = report;
  const rows: [what: string, result: string][] = [
    [
      "requests",
      `${count(report.requests)} in ${Math.round(report.seconds)} s, ${count(report.rawRequests)} of them raw bytes on a socket`,
    ],
    [
      "responses",
      Object.entries(statuses)
        .map(([status, times]) => `${status}: ${count(times)}`)
        .join(", "),
    ],
    ["connections closed without a response", count(report.unanswered)],
    ["routes that never succeeded", report.neverSucceeded.join(", ") || "none"],
    ["bytes sent by slow clients", count(report.slowBytes)],
    ["heap after the run", `${megabytes(heapBytes.after)} (${megabytes(heapBytes.warm)} after the warm-up)`],
    ["heap of a new process with the same data", megabytes(heapBytes.restarted)],
    ["peak memory of the process", `${Math.round(report.peakMb)} MB`],
    ["another customer, before", latencies(report.before)],
    ["another customer, during the run", latencies(report.during)],
    ["log lines", count(report.log.lines)],
    ["violations", count(report.violations.length)],
  ];
  return markdownTable(["what", "result"], rows);
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function latencies({ requests, p50Ms, p99Ms, maxMs }: Latencies): string {
  const [p50, p99, max] = [p50Ms, p99Ms, maxMs].map((value) => `${value.toFixed(1)} ms`);
  return `${count(requests)} requests, p50 ${p50}, p99 ${p99}, max ${max}`;
}
