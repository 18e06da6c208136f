import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";

/** Stops a child process that runs until its standard input ends, and waits for it. */
export async function stopByStdin(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.stdin.end();
  await once(child, "close");
}
