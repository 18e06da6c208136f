import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["*/test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/*.slow.test.ts"],
    globalSetup: ["server/test/servers.ts", "console/test/chromium.ts"],
    setupFiles: ["server/test/fresh-modules.ts"],
    isolate: false,
    maxWorkers: availableParallelism(),
    // Long enough for a busy machine: tests wait for conditions, so only a failure takes this long.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000, interval: 20 } },
  },
});
