import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { MINUTE_MS } from "../../platform/primitives/dates.ts";
import type { JobHandler } from "../jobs/runner.ts";
import type { Store } from "../store.ts";
import type { ObjectStore } from "./object-store.ts";

const TIMEOUT_MS = MINUTE_MS;
const OUTPUT_MAX_LENGTH = 500;

interface PurgeOptions {
  store: Store;
  objects: ObjectStore;
  /** Runs in a shell, and gets the paths on standard input, one per line. */
  command: string;
  /** Whether this is a copy of a database, which must not touch the CDN of the original. */
  isQuiet(): Promise<boolean>;
  onPurged(buildId: string, paths: readonly string[]): void;
}

/** Tells a CDN to forget the files of a build that was withdrawn, with its patches. */
export function purgeJob({ store, objects, command, isQuiet, onPurged }: PurgeOptions): JobHandler<"purge_build"> {
  return {
    async run({ buildId }, { signal }) {
      const build = await store.builds.byId(buildId);
      if (!build || (await isQuiet())) return;
      const keys = new Set(Object.values(build.files).map(({ objectKey }) => objectKey));
      for await (const { key } of objects.list(`${build.versionId}/${build.id}/`)) keys.add(key);
      const paths = [...keys].map((key) => `/${key}`);
      await runCommand(command, paths, signal);
      onPurged(buildId, paths);
    },
  };
}

async function runCommand(command: string, lines: readonly string[], signal: AbortSignal): Promise<void> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const child = spawn("/bin/sh", ["-c", command], {
    stdio: ["pipe", "ignore", "pipe"],
    signal: AbortSignal.any([signal, timeout]),
  });
  const output = text(child.stderr);
  // A command may end without reading its input.
  child.stdin.on("error", () => {});
  child.stdin.end(`${lines.join("\n")}\n`);
  const [status] = await once(child, "close").catch((error) => {
    if (timeout.aborted && !signal.aborted) throw new Error("DBDEPOT_PURGE_COMMAND did not end within a minute");
    throw error;
  });
  if (status === 0) return;
  const said = (await output).trim().slice(-OUTPUT_MAX_LENGTH);
  throw new Error(`DBDEPOT_PURGE_COMMAND failed with exit code ${status}${said === "" ? "" : `: ${said}`}`);
}
