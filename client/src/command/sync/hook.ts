import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Settings } from "../config/settings.ts";
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
  surroundings: { environment: Record<string, string | undefined>; say(text: string): void; signal: AbortSignal },
): Promise<HookOutcome> {
  // In an order that does not depend on which transfer was quicker.
  const files = [...status.hook_pending].sort();
  const ids = new Set(files.flatMap((file) => status.files[file]?.database ?? []));
  const { DBDEPOT_API_KEY: _, ...environment } = surroundings.environment;
  const child = spawn(hook, {
    shell: true,
    cwd: directory,
    env: {
      ...environment,
      DBDEPOT_DIRECTORY: directory,
      DBDEPOT_CHANGED: files.join(" "),
      DBDEPOT_CHANGED_IDS: [...ids].join(" "),
      DBDEPOT_CHANGED_FILES: files.map((file) => join(directory, file)).join("\n"),
    },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: TIMEOUT_MS,
    signal: surroundings.signal,
  });
  // What it prints is for people: the answer on standard output is ours.
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", surroundings.say);
  return new Promise((resolve) => {
    child.on("error", (error) => resolve({ ok: false, files, message: error.message }));
    child.on("close", (code, signal) => {
      const message = signal ? `it was ended by ${signal}` : `it ended with ${code}`;
      resolve({ ok: code === 0, files, message });
    });
  });
}
