import { globSync } from "node:fs";
import { defineConfig } from "vitest/config";

/** The folders and files of the tests to run, from `main.ts`. Its name does not begin with DBDEPOT_, which the harness clears. */
const { MUTATE_TESTS = "" } = process.env;

/** Only the fast tests of the code that is mutated, in one process, without servers or a browser. */
export default defineConfig({
  test: {
    globalSetup: ["rigs/harness/environment.ts", "rigs/harness/servers/sqlite-only.ts"],
    include: MUTATE_TESTS.split(",").flatMap((path) => globSync([path, `${path}/**/*.test.ts`])),
    exclude: ["**/node_modules/**", "**/*.slow.test.ts"],
    provide: { chromium: null },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 5_000, interval: 20 } },
  },
});
