import { open, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { newId } from "./ids.ts";

/** More than one group of attempts and its pages in the database need, so that the probe fails first. */
const PROBE_BYTES = 64 * 1024;

/** Fails if a file cannot be stored durably in the directory. Leaves nothing behind. */
export async function probeDirectory(directory: string): Promise<void> {
  const path = join(directory, `${newId(new Date())}.probe`);
  try {
    await using file = await open(path, "wx", 0o600);
    await file.writeFile(Buffer.alloc(PROBE_BYTES));
    await file.sync();
  } finally {
    await rm(path, { force: true });
  }
}

export interface DiskSpace {
  freeBytes: number;
  sizeBytes: number;
}

/** The space on the disks of these directories, each disk under the first of its names. Unreadable ones are left out. */
export async function diskSpace(directories: Record<string, string>): Promise<Map<string, DiskSpace>> {
  const disks = new Map<number, [name: string, DiskSpace]>();
  for (const [name, path] of Object.entries(directories)) {
    try {
      const { dev } = await stat(path);
      const { bavail, blocks, bsize } = await statfs(path);
      if (!disks.has(dev)) disks.set(dev, [name, { freeBytes: bavail * bsize, sizeBytes: blocks * bsize }]);
    } catch {
      // The alerts about the database and the storage say what is wrong.
    }
  }
  return new Map(disks.values());
}
