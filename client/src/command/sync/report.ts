import { inBytes } from "@dbdepot/terminal/amounts";
import type { Colours } from "@dbdepot/terminal/colours";
import type { Output } from "@dbdepot/terminal/command";
import { wrapped } from "@dbdepot/terminal/wrapped";
import { nameOf, type Outcome } from "./outcome.ts";
import type { RoundResult } from "./round.ts";

export interface ReportOptions {
  colours: Colours;
  columns: number | undefined;
  /** Only what has changed and what failed. */
  isQuiet: boolean;
}

const MARKS = { changed: "changed", unchanged: "unchanged", failed: "FAILED" } as const;
const MARK_WIDTH = "unchanged  ".length;

/** What a round has to say. */
export function report(round: RoundResult, options: ReportOptions): Output {
  const { outcomes, hook, exitCode, started, ended } = round;
  const counts = Object.fromEntries(
    (["changed", "unchanged", "failed"] as const).map((result) => [
      result,
      outcomes.filter((outcome) => outcome.result === result).length,
    ]),
  );
  const shown = options.isQuiet ? outcomes.filter(({ result }) => result !== "unchanged") : outcomes;
  const lines = shown.map((outcome) => marked(outcome.result, `${nameOf(outcome)}: ${told(outcome)}`, options));
  if (hook && !hook.ok) lines.push(marked("failed", `hook: ${hook.message}; it is tried again next time`, options));
  const summary = `${ended.slice(0, 19)}Z  ${counts.changed} changed, ${counts.unchanged} unchanged, ${counts.failed} failed`;
  if (!options.isQuiet)
    lines.push(...wrapped(summary, options.columns).map((line) => `${options.colours.aside(line)}\n`));
  return {
    json: { ok: exitCode === 0, started, ended, ...counts, files: outcomes.map(wire), hook },
    text: lines.join(""),
    exitCode,
  };
}

function told(outcome: Outcome): string {
  if (outcome.result === "failed") return outcome.message;
  const build = outcome.updated === null ? "the current build" : `build of ${outcome.updated}`;
  if (outcome.result === "unchanged") return build;
  return `${build}, ${inBytes(outcome.size_bytes)}${outcome.received_bytes === 0 ? ", was there already" : ""}`;
}

function marked(result: Outcome["result"], text: string, { colours, columns }: ReportOptions): string {
  const paint = { changed: colours.good, unchanged: colours.aside, failed: colours.bad }[result];
  const room = columns === undefined ? undefined : Math.max(20, columns - MARK_WIDTH);
  return wrapped(text, room)
    .map(
      (line, i) =>
        (i === 0 ? `${paint(MARKS[result])}${" ".repeat(MARK_WIDTH - MARKS[result].length)}` : " ".repeat(MARK_WIDTH)) +
        line,
    )
    .map((line) => `${line}\n`)
    .join("");
}

/** Without the error itself, whose words it has. */
function wire(outcome: Outcome): object {
  const { error: _, ...rest } = { error: undefined, ...outcome };
  return rest;
}
