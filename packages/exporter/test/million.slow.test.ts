import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

describe("an export of a million networks", () => {
  it.each(["ipv4", "ipv6", "both"])("of %s takes less than 1 GB of memory", (kind) => {
    // Runs in its own process, so that the test runner's memory does not count.
    const child = fileURLToPath(new URL("./million.ts", import.meta.url));
    const { peakMegabytes } = JSON.parse(execFileSync(process.execPath, [child, kind], { encoding: "utf8" }));
    expect(peakMegabytes).toBeLessThan(1000);
  });
});
