import type { BuildCheck } from "@dbdepot/contract/operator/build-check";
import { FILE_KINDS } from "@dbdepot/contract/shared/formats";
import type { Result } from "@dbdepot/terminal/command";
import type { Output } from "@dbdepot/terminal/output";

const RESULTS: Record<BuildCheck["result"], string> = {
  ready: "ready to publish",
  unchanged: "unchanged: the files are identical to those of the current build",
  suspicious: "looks like a mistake: use --force to publish it anyway",
  overtaken: "another build was published in the meantime",
  faulty: "cannot be published",
};

/** The output of `builds publish --dry-run`, which fails if publishing would fail. */
export function checkResult(output: Output, check: BuildCheck, force: boolean): Result {
  const { result, faults, warnings, notes = [], build, current_build: current } = check;
  const isRefused = result === "faulty" || result === "overtaken" || (result === "suspicious" && !force);
  const size = (of: typeof current, kind: (typeof FILE_KINDS)[number]) => of?.files[kind]?.size_bytes;
  const fields = {
    result: result === "suspicious" && force ? RESULTS.ready : RESULTS[result],
    updated: compared(build.updated, current?.updated),
    rows: compared(build.entries, current?.entries),
    changes: changesOf(check),
    ...Object.fromEntries(
      FILE_KINDS.map((kind) => [kind.replace("_", " "), compared(size(build, kind), size(current, kind), " bytes")]),
    ),
  };
  const problems = [...faults, ...warnings, ...notes].map((problem) => `- ${problem}\n`).join("");
  return {
    json: check,
    text: `${output.details(fields)}${problems}Dry run: nothing was published.\n`,
    exitCode: isRefused ? 1 : 0,
  };
}

/** "12 added, 3 removed, 40 changed (provider 38, risk 5)" */
function changesOf({ comparison }: BuildCheck): string | undefined {
  if (!comparison) return undefined;
  if (!comparison.changes) return comparison.reason ?? undefined;
  const { added, removed, changed, columns } = comparison.changes;
  const byColumn = columns.filter((column) => column.changed > 0).map((column) => `${column.name} ${column.changed}`);
  return `${added} added, ${removed} removed, ${changed} changed${byColumn.length > 0 ? ` (${byColumn.join(", ")})` : ""}`;
}

/** "120 bytes (current: 100 bytes)" */
function compared(
  next: string | number | undefined,
  current: string | number | undefined,
  unit = "",
): string | undefined {
  if (next === undefined && current === undefined) return undefined;
  const now = current === undefined || current === next ? "" : ` (current: ${current}${unit})`;
  return `${next === undefined ? "none" : `${next}${unit}`}${now}`;
}
