import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { FileStatus } from "./status.ts";

/** A file as it lies on disk. */
export interface DiskFile {
  sizeBytes: number;
  modifiedMs: number;
  inode: number;
}

/** Undefined when there is none. */
export async function lookAt(path: string): Promise<DiskFile | undefined> {
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

/** Whether the file is still the one that was written down. It is read only if its time has changed. */
export async function isIntact(path: string, known: FileStatus): Promise<boolean> {
  const found = await lookAt(path);
  if (found?.sizeBytes !== known.size_bytes) return false;
  return found.modifiedMs === known.modified_ms || (await sha256Of(path)) === known.sha256;
}
