import type { Reporter, TestCase, TestModule, TestSuite } from "vitest/node";

/** Ends the output of a run with one line: how many tests were skipped, and what they lack. */
export class NotTested implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = new Map<string, number>();
    for (const module of modules) {
      for (const test of module.children.allTests("skipped")) {
        const lacks = lacksOf(test);
        if (lacks) counts.set(lacks, (counts.get(lacks) ?? 0) + 1);
      }
    }
    const line = lineOf(counts);
    if (line) process.stdout.write(`${line}\n`);
  }
}

function lacksOf(task: TestCase | TestSuite): string | undefined {
  return task.meta().lacks ?? (task.parent.type === "suite" ? lacksOf(task.parent) : undefined);
}

/** The most frequent reason comes first. */
export function lineOf(counts: ReadonlyMap<string, number>): string | undefined {
  const reasons = [...counts].sort(
    ([name, count], [other, otherCount]) => otherCount - count || (name < other ? -1 : 1),
  );
  if (reasons.length === 0) return;
  const total = reasons.reduce((sum, [, count]) => sum + count, 0);
  const list = reasons.map(([name, count]) => `${name} (${count})`).join(", ");
  return `${total} ${total === 1 ? "test" : "tests"} skipped for lack of ${list}. On Debian, .ci/run installs the programs.`;
}
