const { MUTATE_SOURCES = "", MUTATE_COPY, MUTATE_JSON } = process.env;

export default {
  mutate: MUTATE_SOURCES.split(","),
  tempDirName: MUTATE_COPY,
  testRunner: "vitest",
  vitest: { configFile: "scripts/mutate/vitest.config.ts", related: false },
  // Runs only the tests that reach the change.
  coverageAnalysis: "perTest",
  // The compiler and the tests of the docs check texts.
  mutator: { excludedMutations: ["StringLiteral"] },
  reporters: ["clear-text", "progress-append-only"],
  clearTextReporter: { logTests: false, reportTests: false },
  // A later run takes over the results of code and tests that have not changed since.
  ...(MUTATE_JSON && { incremental: true, incrementalFile: MUTATE_JSON }),
  // A change counts as noticed if it makes a test hang, but not because the machine is busy.
  timeoutMS: 40_000,
  timeoutFactor: 4,
  // One process: the machine stays usable, and two would share the servers of the tests.
  concurrency: 1,
  ignorePatterns: ["packages/*/dist", "packages/console/screenshots"],
  allowConsoleColors: process.stdout.isTTY,
};
