import { type Goal, isReached, type Result, type Unit } from "./result.ts";

const HEADER = ["what", "dbdepot", "anchor", "", "ratio", "goal", ""];

/** A Markdown table with aligned columns. */
export function tableOf(results: readonly Result[]): string {
  const rows = [HEADER, ...results.map(cellsOf)];
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`);
  const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`;
  return [lines[0], rule, ...lines.slice(1), ""].join("\n");
}

function cellsOf(result: Result): string[] {
  const { what, ours, unit, anchor, goal } = result;
  return [
    what,
    amount(ours, unit),
    anchor?.name ?? "",
    anchor ? amount(anchor.value, unit) : "",
    anchor ? anchor.ratio.toFixed(2) : "",
    goalText(goal, unit),
    isReached(result) ? "ok" : "MISSED",
  ];
}

export function amount(value: number, unit: Unit): string {
  const digits = unit === "s" ? 2 : 0;
  return `${value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${unit}`;
}

function goalText(goal: Goal, unit: Unit): string {
  if ("below" in goal) return `below ${goal.below} ${unit}`;
  return "ratioAtLeast" in goal ? `at least ${goal.ratioAtLeast}` : `at most ${goal.ratioAtMost}`;
}
