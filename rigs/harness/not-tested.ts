import type { Reporter, TestCase, TestModule, TestSuite } from "vitest/node";

/** Ends the output of a run with one line: how many tests were skipped, and what they lack. */
export class NotTested implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const line = lineOf(modules.flatMap(({ children }) => [...children.allTests("skipped")].flatMap(lacksOf)));
    if (line) process.stdout.write(`${line}\n`);
  }
}

/** What a test or a suite around it lacks, see needs.ts. */
function lacksOf(task: TestCase | TestSuite): string | [] {
  return task.meta().lacks ?? (task.parent.type === "suite" ? lacksOf(task.parent) : []);
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
