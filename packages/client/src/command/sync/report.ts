import type { Result } from "@dbdepot/terminal/command";
import { formatBytes } from "@dbdepot/terminal/format";
import type { Output } from "@dbdepot/terminal/output";
import { wrap } from "@dbdepot/terminal/wrap";
import { nameOf, type Outcome } from "./outcome.ts";
import type { RoundResult } from "./round.ts";

const MARKS = { changed: "changed", unchanged: "unchanged", failed: "FAILED" } as const;
const MARK_WIDTH = "unchanged  ".length;

/** The result of a round. With `isQuiet`, the text contains only changes and failures. */
export function report(round: RoundResult, output: Output, isQuiet: boolean): Result {
  const { outcomes, hook, exitCode, started, ended, isDryRun } = round;
  const counts = Object.fromEntries(
    (["changed", "unchanged", "failed"] as const).map((result) => [
      result,
      outcomes.filter((outcome) => outcome.result === result).length,
    ]),
  );
  const shown = isQuiet ? outcomes.filter(({ result }) => result !== "unchanged") : outcomes;
  const lines = shown.map((outcome) =>
    marked(outcome.result, `${nameOf(outcome)}: ${describe(outcome, isDryRun)}`, output),
  );
  if (hook && !hook.ok) lines.push(marked("failed", `hook: ${hook.message}; the next round runs it again`, output));
  const summary = `${ended.slice(0, 19)}Z  ${counts.changed} changed, ${counts.unchanged} unchanged, ${counts.failed} failed${isDryRun ? " (dry run: nothing was changed)" : ""}`;
  if (!isQuiet) lines.push(...wrap(summary, output.columns).map((line) => `${output.colours.dim(line)}\n`));
  return {
    json: { ok: exitCode === 0, dry_run: isDryRun, started, ended, ...counts, files: outcomes.map(wire), hook },
    text: lines.join(""),
    exitCode,
  };
}

function describe(outcome: Outcome, isDryRun: boolean): string {
  if (outcome.result === "failed") return outcome.message;
  const build = outcome.updated === null ? "the current build" : `build from ${outcome.updated}`;
  if (outcome.result === "unchanged") return build;
  const sized = `${build}, ${formatBytes(outcome.size_bytes)}`;
  if (outcome.received_bytes === 0) return `${sized}, already downloaded`;
  const share = outcome.method === "file" ? undefined : percentage(outcome.received_bytes, outcome.size_bytes);
  const done = outcome.method === "patch" ? "updated" : "downloaded";
  if (isDryRun) return `${sized}, would be ${done}${share ? ` with ${share} of the bytes` : ""}`;
  return share ? `${sized}, ${done} with ${share} of the bytes` : sized;
}

/** "1.2 %" */
export function percentage(part: number, whole: number): string {
  const percent = (100 * part) / whole;
  return percent < 0.1 ? "less than 0.1 %" : `${percent.toFixed(1)} %`;
}

function marked(result: Outcome["result"], text: string, { colours, columns }: Output): string {
  const paint = { changed: colours.green, unchanged: colours.dim, failed: colours.red }[result];
  const room = columns === undefined ? undefined : Math.max(20, columns - MARK_WIDTH);
  return wrap(text, room)
    .map(
      (line, i) =>
        (i === 0 ? `${paint(MARKS[result])}${" ".repeat(MARK_WIDTH - MARKS[result].length)}` : " ".repeat(MARK_WIDTH)) +
        line,
    )
    .map((line) => `${line}\n`)
    .join("");
}

/** Omits the error object, because its message is included. */
function wire(outcome: Outcome): object {
  const { error: _, ...rest } = { error: undefined, ...outcome };
  return rest;
}
