import type { Latency, Line, Unit, Wanted } from "./line.ts";

const HEADER = ["what", "ours", "anchor", "ratio", "wanted", "verdict", "p50 / p99 ms", "anchor's"];

/** In Markdown, with columns that stand below each other: the same on a terminal and in the docs. */
export function tableOf(lines: readonly Line[]): string {
  const rows = [HEADER, ...lines.map(cellsOf)];
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  const drawn = rows.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`);
  const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`;
  return [drawn[0], rule, ...drawn.slice(1), ""].join("\n");
}

function cellsOf(line: Line): string[] {
  return [
    line.what,
    amount(line.ours, line.unit),
    line.anchor === null ? "" : amount(line.anchor, line.unit),
    line.ratio === null ? "" : line.ratio.toFixed(2),
    line.wanted ? wantedText(line.wanted, line.unit) : "",
    line.isReached === null ? "" : line.isReached ? "reached" : "MISSED",
    line.latency ? latencyText(line.latency.ours) : "",
    line.latency ? latencyText(line.latency.anchor) : "",
  ];
}

export function amount(value: number, unit: Unit): string {
  const digits = unit === "s" || unit === "ms" ? 2 : 0;
  return `${value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${unit}`;
}

function wantedText(wanted: Wanted, unit: Unit): string {
  if ("ratioAtLeast" in wanted) return `at least ${wanted.ratioAtLeast}`;
  if ("ratioAtMost" in wanted) return `at most ${wanted.ratioAtMost}`;
  return `under ${wanted.below} ${unit}`;
}

function latencyText({ p50Ms, p99Ms }: Latency): string {
  return `${p50Ms.toFixed(2)} / ${p99Ms.toFixed(2)}`;
}
