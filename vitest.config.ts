import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { NotTested } from "./rigs/harness/not-tested.ts";

const EVERYWHERE = ["**/node_modules/**"];
const SLOW = "{packages,rigs,scripts}/**/*.slow.test.ts";
/** They measure memory or transfer gigabytes, so nothing else runs beside them. */
const ALONE = "{packages,rigs}/*/test/**/{memory,memory-limit,gibibyte,million,connection-limit,load}.slow.test.ts";
/** Suites that run on SQLite and a directory in `npm test`, and on PostgreSQL and S3 in `npm run test:slow`. */
const ON_EITHER_STAGE = globSync("{packages,rigs}/*/test/**/*.test.ts").filter((path) =>
  /either(Stage|Engine)\(\)/.test(readFileSync(path, "utf8")),
);

/** Files share a worker, which halves the run time. */
const shared = { isolate: false, setupFiles: ["rigs/harness/fresh-modules.ts"] };
const slow = { testTimeout: 600_000, setupFiles: ["rigs/harness/on-disk.ts"] };

export default defineConfig({
  test: {
    globalSetup: [
      "rigs/harness/environment.ts",
      "rigs/harness/servers/servers.ts",
      "packages/console/test/chromium.ts",
    ],
    reporters: ["default", new NotTested()],
    // Otherwise every slow test gets a line of its own.
    slowTestThreshold: 60_000,
    projects: [
      project(
        "fast",
        {
          include: ["{packages,rigs}/*/test/**/*.test.ts", "scripts/test/*.test.ts"],
          exclude: [...EVERYWHERE, SLOW],
          ...shared,
        },
        1,
      ),
      project("stages", { include: ON_EITHER_STAGE, env: { DBDEPOT_TEST_STAGE: "postgres" }, ...shared }, 2),
      project("slow", { include: [SLOW], exclude: [...EVERYWHERE, ALONE], ...slow }, 3),
      project("alone", { include: [ALONE], ...slow, maxWorkers: 1 }, 4),
    ],
  },
});

/** Projects run one after the other. */
function project(
  name: string,
  test: NonNullable<TestProjectInlineConfiguration["test"]>,
  groupOrder: number,
): TestProjectInlineConfiguration {
  return {
    test: {
      name,
      maxWorkers: availableParallelism(),
      // Long enough for a busy machine: tests wait for conditions, so only a failure takes this long.
      testTimeout: 120_000,
      hookTimeout: 120_000,
      expect: { poll: { timeout: 60_000, interval: 20 } },
      sequence: { groupOrder },
      ...test,
    },
  };
}
