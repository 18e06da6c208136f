import { spawnSync } from "node:child_process";

/** Whether a program that npm does not bring is there. If not, it is said in a line that its tests do not run. */
export function isInstalled(tool: string): boolean {
  const isThere = spawnSync(tool, ["--version"]).error === undefined;
  if (isThere) return true;
  if (process.env.DBDEPOT_TEST_REQUIRE_TOOLS) throw new Error(`${tool} is not installed, and this run demands it`);
  process.stderr.write(`${tool} is not installed: the tests that use it do NOT run.\n`);
  return false;
}
