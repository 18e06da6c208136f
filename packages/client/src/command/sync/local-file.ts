import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { FileStatus } from "./status.ts";

export interface LocalFile {
  sizeBytes: number;
  modifiedMs: number;
  inode: number;
}

/** Returns undefined if the file does not exist. */
export async function statFile(path: string): Promise<LocalFile | undefined> {
  try {
    const { size, mtimeMs, ino } = await stat(path);
    return { sizeBytes: size, modifiedMs: mtimeMs, inode: ino };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash);
  return hash.digest("hex");
}

/** Whether the file is still the recorded one. Its content is read only if its modification time has changed. */
export async function isIntact(path: string, recorded: FileStatus): Promise<boolean> {
  const found = await statFile(path);
  if (found?.sizeBytes !== recorded.size_bytes) return false;
  return found.modifiedMs === recorded.modified_ms || (await sha256Of(path)) === recorded.sha256;
}
