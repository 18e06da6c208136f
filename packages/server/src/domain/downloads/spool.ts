import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { syncDirectory } from "@dbdepot/formats/durable-files";
import { MINUTE_MS } from "../../platform/primitives/dates.ts";
import { probeDirectory } from "../../platform/primitives/disk-space.ts";
import { newId } from "../../platform/primitives/ids.ts";
import type { Attempt } from "./attempt.ts";
import type { HistoryOptions, Spool } from "./history.ts";

const COMPLETE = ".json";
const CORRUPT = ".corrupt";
/** No process is still writing an incomplete file that is older than this. */
const ABANDONED_AFTER_MS = 10 * MINUTE_MS;

/**
 * A directory with one file per group of attempts. A file gets its final name once it is complete and on disk. Several
 * processes can share the directory: a group that two of them replay is stored once.
 */
export function directorySpool(directory: string, onFailure: HistoryOptions["onFailure"]): Spool {
  return {
    depth: async () => (await complete(directory)).length,
    async put(attempts) {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      const path = join(directory, newId(new Date()));
      try {
        await writeDurably(path, JSON.stringify(attempts));
        await rename(path, path + COMPLETE);
        await syncDirectory(directory);
      } catch (error) {
        // The caller learns that nothing was stored, so nothing may be replayed later.
        await Promise.allSettled([rm(path, { force: true }), rm(path + COMPLETE, { force: true })]);
        throw error;
      }
    },
    async probe() {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await probeDirectory(directory);
    },
    async replay(store) {
      await removeAbandoned(directory);
      for (let names = await complete(directory); names.length > 0; names = await complete(directory)) {
        for (const name of names) await replayFile(join(directory, name), store);
      }
    },
  };

  async function replayFile(path: string, store: (attempts: readonly Attempt[]) => Promise<void>): Promise<void> {
    const text = await readFile(path, "utf8").catch(ignoreMissing);
    if (text === undefined) return;
    const attempts = parse(text, path);
    if (attempts) {
      await store(attempts);
      await rm(path, { force: true });
    } else {
      // The file is set aside, because it would block every file after it.
      await rename(path, path + CORRUPT).catch(ignoreMissing);
    }
  }

  function parse(text: string, path: string): Attempt[] | undefined {
    try {
      return JSON.parse(text, (name, value) => (name === "created" ? new Date(value) : value));
    } catch (error) {
      onFailure(`${path} is corrupt: its attempts are not in the history`, error);
      return undefined;
    }
  }
}

async function complete(directory: string): Promise<string[]> {
  return (await namesIn(directory)).filter((name) => name.endsWith(COMPLETE)).sort();
}

async function removeAbandoned(directory: string): Promise<void> {
  for (const name of await namesIn(directory)) {
    if (name.endsWith(COMPLETE) || name.endsWith(CORRUPT)) continue;
    const path = join(directory, name);
    const written = await stat(path).catch(ignoreMissing);
    if (written && Date.now() - written.mtimeMs > ABANDONED_AFTER_MS) await rm(path, { force: true });
  }
}

async function namesIn(directory: string): Promise<string[]> {
  return (await readdir(directory).catch(ignoreMissing)) ?? [];
}

/** Another process may have replayed the file, and before the first outage there is no directory. */
function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

async function writeDurably(path: string, text: string): Promise<void> {
  await using file = await open(path, "wx", 0o600);
  await file.writeFile(text);
  await file.sync();
}
