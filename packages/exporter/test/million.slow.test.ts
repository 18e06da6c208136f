import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

describe("a large export", () => {
  // IPv6 networks take the most memory.
  it.each([
    ["ipv6", 1_000_000, 1000],
    ["ipv4", 200_000, 400],
    ["both", 200_000, 400],
  ])("of %s with %d networks takes less than %d MB of memory", (kind, rows, maxMegabytes) => {
    // Runs in its own process, so that the test runner's memory does not count.
    const child = fileURLToPath(new URL("./million.ts", import.meta.url));
    const { peakMegabytes } = JSON.parse(
      execFileSync(process.execPath, [child, kind, String(rows)], { encoding: "utf8" }),
    );
    expect(peakMegabytes).toBeLessThan(maxMegabytes);
  });
});
