import { link, lstat, mkdir, opendir, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncDirectory } from "@dbdepot/formats/durable-files";
import { ObjectExists, type ObjectKey, type StoredObject } from "../../domain/builds/object-store.ts";
import { isObjectKey } from "./object-key.ts";

// How the disk store maps keys to files: a directory for each segment of the key except the last, which names the file.

/** `remove` may delete an empty directory just before a `put` uses it. */
const MAX_PUBLISH_ATTEMPTS = 10;

/** Gives a finished file its key. If two want the same key, `link` succeeds for the first only. */
export async function publish(partial: string, key: ObjectKey, root: string, folderMode: number): Promise<void> {
  const path = join(root, key);
  for (let attempt = 1; ; attempt++) {
    try {
      await makeFolders(key, root, folderMode);
      await link(partial, path);
      break;
    } catch (error) {
      if (isOneOf(error, ["EEXIST"])) throw new ObjectExists(key);
      if (!isOneOf(error, ["ENOENT"]) || attempt === MAX_PUBLISH_ATTEMPTS) throw error;
    }
  }
  try {
    await syncDirectory(dirname(path));
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

/** Creates directories one at a time, to make each durable and refuse symbolic links. */
async function makeFolders(key: ObjectKey, root: string, mode: number): Promise<void> {
  let folder = root;
  for (const name of key.split("/").slice(0, -1)) {
    const parent = folder;
    folder = join(parent, name);
    const stat = await lstatIfExists(folder);
    if (stat && !stat.isDirectory()) throw new Error(`${folder} is not a directory`);
    if (stat) continue;
    await mkdir(folder, { recursive: true, mode });
    await syncDirectory(parent);
  }
}

export async function removeEmptyFolders(folder: string, root: string): Promise<void> {
  try {
    for (let empty = folder; empty !== root; empty = dirname(empty)) await rmdir(empty);
  } catch (error) {
    if (!isOneOf(error, ["ENOTEMPTY", "EEXIST", "ENOENT"])) throw error;
  }
}

/**
 * Every object below `folder` whose key starts with `prefix`. The keys of all objects in `folder` start with `start`.
 */
export async function* walk(folder: string, start: string, prefix: string): AsyncGenerator<StoredObject> {
  const entries = await opendir(folder).catch((error) => {
    if (isOneOf(error, ["ENOENT"])) return []; // It has just been removed.
    throw error;
  });
  for await (const entry of entries) {
    const key = start + entry.name;
    if (entry.isDirectory() && !entry.name.startsWith(".")) {
      const inside = `${key}/`;
      if (inside.startsWith(prefix) || prefix.startsWith(inside)) yield* walk(join(folder, entry.name), inside, prefix);
    } else if (entry.isFile() && key.startsWith(prefix) && isObjectKey(key)) {
      const stat = await lstatIfExists(join(folder, entry.name));
      if (stat) yield stored(key, stat);
    }
  }
}

export async function lstatIfExists(path: string) {
  try {
    return await lstat(path);
  } catch (error) {
    if (isOneOf(error, ["ENOENT"])) return undefined;
    throw error;
  }
}

export function stored(key: ObjectKey, stat: { size: number; mtime: Date }): StoredObject {
  return { key, sizeBytes: stat.size, modified: stat.mtime };
}

export function isOneOf(error: unknown, codes: string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException).code ?? "");
}
