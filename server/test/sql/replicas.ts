import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { DatabaseAddress } from "../../src/sql/open.ts";

/** Runs so many processes at once on one database (replica.ts), and gives what each of them tells. None may complain. */
export async function runReplicas(address: DatabaseAddress, count: number, ...task: string[]): Promise<string[][]> {
  const argv = [join(import.meta.dirname, "replica.ts"), JSON.stringify(address), ...task];
  const runs = Array.from({ length: count }, () => promisify(execFile)(process.execPath, argv));
  return (await Promise.all(runs)).map(({ stdout, stderr }) => {
    if (stderr !== "") throw new Error(stderr);
    return JSON.parse(stdout);
  });
}
