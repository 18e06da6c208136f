import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** `npm run screenshots` */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, "../.."),
    include: ["packages/console/test/screenshots.ts"],
    globalSetup: [
      "rigs/harness/environment.ts",
      "rigs/harness/servers/servers.ts",
      "packages/console/test/chromium.ts",
    ],
    testTimeout: 1_800_000,
    hookTimeout: 120_000,
  },
});
