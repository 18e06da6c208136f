import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const MAIN = join(import.meta.dirname, "../src/main.ts");
const bench = (...args: string[]) => promisify(execFile)(process.execPath, [MAIN, ...args]);

describe("benchmark command", () => {
  it.each([
    ["requests", 6],
    ["postgres", 2],
    ["streams", 8],
    ["client", 2],
    ["start", 1],
    ["growth", 5],
    ["history", 2],
  ])("measures the group %s", async (group, rows) => {
    const { stdout } = await bench("--quick", group);
    expect(stdout.match(/\| (ok|MISSED) +\|$/gm)).toHaveLength(rows);
  });

  it("measures patches", async () => {
    const { stdout } = await bench("--quick", "deltas");
    expect(stdout.match(/^\| 5,000 \| 1 % \| (csv\.gz|mmdb) /gm)).toHaveLength(2);
    expect(stdout).toMatch(/^\| csv\.gz \| one record of 600 is removed/m);
  });

  it("measures the writing of tables", async () => {
    const { stdout } = await bench("--quick", "tables");
    expect(stdout.match(/^\| 5,000 \| .* \| (dbdepot|DuckDB) \| /gm)).toHaveLength(2);
  });

  it("rejects a group that does not exist", async () => {
    await expect(bench("no-such-group")).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining("Groups:") });
  });
});
