import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Settings } from "../config/settings.ts";
import type { CommandContext } from "../context.ts";
import type { Status } from "./status.ts";

export interface HookOutcome {
  ok: boolean;
  /** What it was told of. */
  files: string[];
  message: string;
}

/** A hook that hangs must not keep the databases from being updated. */
const TIMEOUT_MS = 5 * 60_000;

/** Runs the command that was set, with what has changed in its environment. The key is not passed on. */
export async function runHook(
  hook: string,
  status: Status,
  { directory }: Settings,
  { env, output, signal }: Pick<CommandContext, "env" | "output"> & { signal: AbortSignal },
): Promise<HookOutcome> {
  // In an order that does not depend on which transfer was quicker.
  const files = [...status.hook_pending].sort();
  const ids = new Set(files.flatMap((file) => status.files[file]?.database ?? []));
  const { DBDEPOT_API_KEY: _, ...inherited } = env;
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
      const message = killedBy ? `it was ended by ${killedBy}` : `it ended with ${code}`;
      resolve({ ok: code === 0, files, message });
    });
  });
}
