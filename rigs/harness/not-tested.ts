import type { Reporter, TestModule } from "vitest/node";

/** Ends the output of a run with one line: how many tests were skipped, and what they lack. */
export class NotTested implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap(({ children }) => [...children.allTests("skipped")]);
    // See needs.ts. A test has the metadata of the suites around it.
    const line = lineOf(skipped.flatMap((test) => test.meta().lacks ?? []));
    if (line) process.stdout.write(`${line}\n`);
  }
}

/** Takes the reason of each test. The most frequent one comes first. */
export function lineOf(reasons: readonly string[]): string | undefined {
  if (reasons.length === 0) return undefined;
  const groups = Object.entries(Object.groupBy(reasons, (reason) => reason));
  const counts = groups.map(([reason, tests = []]) => ({ reason, count: tests.length }));
  counts.sort((one, other) => other.count - one.count || (one.reason < other.reason ? -1 : 1));
  const list = counts.map(({ reason, count }) => `${reason} (${count})`).join(", ");
  return `${reasons.length} ${reasons.length === 1 ? "test" : "tests"} skipped for lack of ${list}. On Debian, .ci/run installs the programs.`;
}
