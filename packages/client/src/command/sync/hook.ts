import { spawn } from "node:child_process";
import { join } from "node:path";
import { oldVariableOf, type Settings, variableOf } from "../config/settings.ts";
import type { CommandContext } from "../context.ts";
import type { Status } from "./status.ts";

export interface HookOutcome {
  ok: boolean;
  /** The changed files it was run for. */
  files: string[];
  message: string;
}

/** A hook that hangs must not block later updates. */
const TIMEOUT_MS = 5 * 60_000;

/** Runs the hook with the changed files in its environment, but without the key. */
export async function runHook(
  hook: string,
  status: Status,
  { directory }: Settings,
  { env, output, signal }: Pick<CommandContext, "env" | "output"> & { signal: AbortSignal },
): Promise<HookOutcome> {
  // Sorted, so that the order does not depend on the speed of the transfers.
  const files = [...status.hook_pending].sort();
  const ids = new Set(files.flatMap((file) => status.files[file]?.database ?? []));
  const { [variableOf("key")]: _, [oldVariableOf("key")]: _old, ...inherited } = env;
  const child = spawn(hook, {
    shell: true,
    cwd: directory,
    env: {
      ...inherited,
      DBDEPOT_DIRECTORY: directory,
      DBDEPOT_CHANGED: files.join(" "),
      DBDEPOT_CHANGED_IDS: [...ids].join(" "),
      DBDEPOT_CHANGED_FILES: files.map((file) => join(directory, file)).join("\n"),
    },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: TIMEOUT_MS,
    signal,
  });
  // The hook's output goes to stderr: stdout is for our own result.
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => output.info(text));
  }
  return new Promise((resolve) => {
    child.on("error", (error) => resolve({ ok: false, files, message: error.message }));
    child.on("close", (code, killedBy) => {
      const message = killedBy ? `killed by ${killedBy}` : `exited with ${code}`;
      resolve({ ok: code === 0, files, message });
    });
  });
}
