import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const MAIN = join(import.meta.dirname, "../parsers/main.ts");
const HEAP_MB = 64;
/** The limit of the heap does not include young objects, for which V8 would take up to 100 MB more before it collects any. */
const YOUNG_MB = 8;
const PEAK_MAX_MB = 350;
/** What the allocator keeps after thousands of patches counts, too. */
const GROWN_MAX_MB = 150;
const TIMEOUT_MS = 300_000;

it("every parser refuses damaged input as documented, within a budget of time and memory", async () => {
  const { slowestMs, peakMb } = await fuzz("20261117", "300");
  expect(Object.keys(slowestMs).length).toBeGreaterThan(10);
  expect(peakMb).toBeLessThan(PEAK_MAX_MB);
});

it.each(["csvgz patch", "mmdb patch", "binary patch"])("damaged examples of a %s take little memory", async (name) => {
  const { slowestMs, grownMb } = await fuzz("20261118", "1500", name);
  expect(Object.keys(slowestMs).every((each) => each.startsWith(name))).toBe(true);
  expect(grownMb).toBeLessThan(GROWN_MAX_MB);
});

async function fuzz(...args: string[]) {
  const limited = [`--max-old-space-size=${HEAP_MB}`, `--max-semi-space-size=${YOUNG_MB}`, MAIN, ...args];
  const { stdout } = await promisify(execFile)(process.execPath, limited, { timeout: TIMEOUT_MS });
  return JSON.parse(stdout);
}
