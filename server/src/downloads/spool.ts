import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { newId } from "../ids.ts";
import type { Spool } from "./history.ts";

const READY = ".json";

/**
 * A folder with a file for each group of attempts. A file gets its name when it is whole
 * and on disk; several processes can share the folder, since an attempt that is stored
 * twice is stored once.
 */
export function folderSpool(folder: string): Spool {
  return {
    async put(attempts) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, newId(new Date()));
      await writeDurably(path, JSON.stringify(attempts));
      await rename(path, path + READY);
      await syncFolder(folder);
    },
    async drain(store) {
      for (const name of await ready(folder)) {
        const path = join(folder, name);
        await store(JSON.parse(await readFile(path, "utf8"), revive));
        await rm(path, { force: true });
      }
    },
  };
}

async function ready(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.endsWith(READY)).sort();
}

async function writeDurably(path: string, text: string): Promise<void> {
  await using file = await open(path, "wx", 0o600);
  await file.writeFile(text);
  await file.sync();
}

async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder);
  await handle.sync();
}

function revive(name: string, value: unknown): unknown {
  return name === "created" ? new Date(value as string) : value;
}
