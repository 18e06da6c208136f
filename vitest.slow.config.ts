import { defineConfig } from "vitest/config";

/** Kills, gibibytes, memory measurements and the bench: one file at a time, each in its own process. */
export default defineConfig({
  test: {
    include: ["*/test/**/*.slow.test.ts"],
    globalSetup: ["server/test/servers.ts", "console/test/chromium.ts"],
    maxWorkers: 1,
    testTimeout: 600_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000, interval: 20 } },
  },
});
