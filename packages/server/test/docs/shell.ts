import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { killGroup } from "../../../../rigs/harness/processes.ts";

/**
 * Runs a foreground server as a reader would: waits until it is ready, stops it, and expects exit code 0. npm exits with
 * the number of the signal instead.
 */
const UNTIL_READY = `until_ready() {
  set -m; "$@" & set +m
  until curl -fs "http://127.0.0.1:$DBDEPOT_PORT/readyz" >/dev/null; do kill -0 $!; sleep 0.1; done
  kill -- -$!; wait $! || [ "$1 $?" = "npm 143" ]
}
`;

/** `serve` refuses data with live credentials of the demo, and the demo is running while the blocks run. */
const END_DEMO = "dbdepot-server demo --remove-credentials\n";

/** The shell blocks of a page as one script, so that later blocks can use the variables of earlier ones. */
export function scriptOf(blocks: readonly { code: string }[]): string {
  const script = blocks.map(({ code }) => code).join("\n");
  const foreground = /(?<=^|&& )((?:npx )?dbdepot-server (?:--env-file \S+ )?serve|npm start)(?=\s*(?:#.*)?$)/gm;
  return (
    UNTIL_READY +
    script.replaceAll(foreground, (command) => `${command.endsWith("serve") ? END_DEMO : ""}until_ready ${command}`)
  );
}

/** Runs a script in bash, fails if any of its commands does, and ends everything it has started. Returns what it prints. */
export async function runScript(script: string, cwd: string, env: Record<string, string>): Promise<string> {
  const shell = spawn("bash", ["-euo", "pipefail", "-c", script], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    // Its own process group, so that background processes can be ended with it.
    detached: true,
  });
  const output = Promise.all([text(shell.stdout), text(shell.stderr)]);
  const [exitCode] = await once(shell, "exit");
  try {
    killGroup(shell.pid, "SIGTERM");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
  const [stdout, stderr] = await output;
  if (exitCode !== 0) throw new Error(`exit code ${exitCode}\n${stdout}\n${stderr}`);
  return stdout;
}
