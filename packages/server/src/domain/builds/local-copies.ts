import { createWriteStream } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { newId } from "../../platform/primitives/ids.ts";
import type { BuildFile } from "./build.ts";
import type { ObjectStore } from "./object-store.ts";

/** Creates the directory, and removes what a killed process left in it. */
export async function emptyDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  for (const name of await readdir(directory)) await rm(join(directory, name), { recursive: true, force: true });
}

/** Local copies of the files of builds, for work that reads them several times or at any position. */
export interface Folder extends AsyncDisposable {
  path: string;
  /** Returns the path of a copy. A copy with the same name replaces the last one, unless it is of the same file. */
  copyOf(objects: ObjectStore, file: BuildFile, name: string, signal: AbortSignal): Promise<string>;
}

export async function openFolder(directory: string): Promise<Folder> {
  const path = join(directory, newId(new Date()));
  await mkdir(path, { mode: 0o700 });
  const copied = new Map<string, string>();
  return {
    path,
    async copyOf(objects, { objectKey }, name, signal) {
      const copy = join(path, name);
      if (copied.get(name) !== objectKey) {
        await pipeline(await objects.read(objectKey), createWriteStream(copy, { mode: 0o600 }), { signal });
        copied.set(name, objectKey);
      }
      return copy;
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
