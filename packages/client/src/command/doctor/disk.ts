import { randomUUID } from "node:crypto";
import { mkdir, open, rename, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { formatBytes } from "@dbdepot/terminal/format";
import { diskAdvice, diskError } from "../../download/disk-error.ts";
import { fail, ok, type Verdict } from "./verdict.ts";

/** Writes, syncs and renames a file, as a download does, and compares the free space with `neededBytes`. */
export async function checkDisk(directory: string, neededBytes: number): Promise<Verdict> {
  const [draft, done] = [1, 2].map(() => join(directory, `.dbdepot-doctor-${randomUUID()}`)) as [string, string];
  try {
    await mkdir(directory, { recursive: true });
    const file = await open(draft, "wx");
    await file.writeFile("doctor").finally(async () => {
      await file.sync();
      await file.close();
    });
    await rename(draft, done);
  } catch (error) {
    const advice = diskAdvice((error as NodeJS.ErrnoException).code) ?? "choose another directory";
    return fail(`cannot write to ${(diskError(directory, error) as Error).message}`, advice);
  } finally {
    await Promise.all([draft, done].map((path) => rm(path, { force: true }).catch(() => {})));
  }
  const { bavail, bsize } = await statfs(directory);
  const detail = `${directory} is writable and has ${formatBytes(bavail * bsize)} free`;
  if (bavail * bsize >= neededBytes) return ok(detail);
  return fail(
    `${detail}, but the databases need ${formatBytes(neededBytes)}`,
    "free some space: the old and the new file are both on disk until the new one is verified",
  );
}
