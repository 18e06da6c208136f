import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { DbdepotError } from "../errors.ts";

/** Fails if so many bytes do not fit beside the target. */
export async function requireSpace(target: string, neededBytes: number): Promise<void> {
  const freeBytes = await freeSpace(dirname(target));
  if (neededBytes <= freeBytes) return;
  throw new DbdepotError(
    "disk",
    `${target}: not enough space on the disk: ${mebibytes(neededBytes)} needed, ${mebibytes(freeBytes)} free. Nothing was changed`,
    { code: "ENOSPC" },
  );
}

/** Returns Infinity if the file system does not report its size. */
async function freeSpace(directory: string): Promise<number> {
  const { bavail, bsize, blocks } = await statfs(directory).catch(() => ({ bavail: 0, bsize: 0, blocks: 0 }));
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}
