import { spawnSync } from "node:child_process";

/** Checks for a program that npm does not install. Warns that its tests are skipped if it is missing. */
export function isInstalled(tool: string): boolean {
  const isFound = spawnSync(tool, ["--version"]).error === undefined;
  if (isFound) return true;
  if (process.env.DBDEPOT_TEST_REQUIRE_TOOLS)
    throw new Error(`${tool} is not installed, and DBDEPOT_TEST_REQUIRE_TOOLS is set`);
  process.stderr.write(`Skipping the tests that use ${tool}: it is not installed.\n`);
  return false;
}
