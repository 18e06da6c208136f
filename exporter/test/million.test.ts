import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

// Too slow for every run: DBDEPOT_SLOW_TESTS=1 npx vitest run exporter/test/million.test.ts
describe.skipIf(process.env.DBDEPOT_SLOW_TESTS === undefined)("a million networks", () => {
  it.each(["ipv4", "ipv6", "both"])("of %s take less than 60 s and 1 GB", { timeout: 120_000 }, (kind) => {
    // A process of its own: the memory of the test runner does not count.
    const child = fileURLToPath(new URL("./million.ts", import.meta.url));
    const output = execFileSync(process.execPath, [child, kind], { encoding: "utf8" });
    process.stdout.write(output);
    const { seconds, peakMegabytes } = JSON.parse(output);
    expect(seconds).toBeLessThan(60);
    expect(peakMegabytes).toBeLessThan(1000);
  });
});
