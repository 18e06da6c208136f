import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const MAIN = join(import.meta.dirname, "../parsers/main.ts");
const HEAP_MB = 64;
const PEAK_MAX_MB = 350;
const TIMEOUT_MS = 300_000;

it("every parser refuses damaged input as documented, within a budget of time and memory", async () => {
  const args = [`--max-old-space-size=${HEAP_MB}`, MAIN, "20261117", "300"];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: TIMEOUT_MS });
  const { slowestMs, peakMb } = JSON.parse(stdout);
  expect(Object.keys(slowestMs).length).toBeGreaterThan(10);
  expect(peakMb).toBeLessThan(PEAK_MAX_MB);
});
