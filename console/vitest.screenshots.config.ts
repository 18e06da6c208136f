import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** `npm run screenshots` */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, ".."),
    include: ["console/test/screenshots.ts"],
    globalSetup: ["server/test/servers.ts", "console/test/chromium.ts"],
    testTimeout: 600_000,
    hookTimeout: 120_000,
  },
});
