import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Checks for a program, and a file that it needs, that npm does not install. Warns that tests are skipped without it. */
export function isInstalled(tool: string, file?: string): boolean {
  const isFound = spawnSync(tool, ["--version"]).error === undefined && (file === undefined || existsSync(file));
  if (!isFound) missing(tool);
  return isFound;
}

/** Warns that tests are skipped, or fails in CI. */
export function missing(tool: string): undefined {
  if (process.env.DBDEPOT_TEST_REQUIRE_TOOLS)
    throw new Error(`${tool} is not installed, and DBDEPOT_TEST_REQUIRE_TOOLS is set`);
  process.stderr.write(`Skipping the tests that use ${tool}: it is not installed.\n`);
}
