import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { DatabaseAddress } from "../../../src/adapters/sql/open.ts";

/** Runs several processes (replica.ts) on one database and returns what each of them prints. Fails if one writes to stderr. */
export async function runReplicas(address: DatabaseAddress, count: number, ...task: string[]): Promise<string[][]> {
  const argv = [join(import.meta.dirname, "replica.ts"), JSON.stringify(address), ...task];
  const runs = Array.from({ length: count }, () => promisify(execFile)(process.execPath, argv));
  return (await Promise.all(runs)).map(({ stdout, stderr }) => {
    if (stderr !== "") throw new Error(stderr);
    return JSON.parse(stdout);
  });
}
