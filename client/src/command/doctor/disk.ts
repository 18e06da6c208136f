import { randomUUID } from "node:crypto";
import { mkdir, open, rename, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { formatBytes } from "@dbdepot/terminal/format";
import { fail, ok, type Verdict } from "./verdict.ts";

/** Does what a download does: writes a file, brings it to disk, renames it. */
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
    const { code, message } = error as NodeJS.ErrnoException;
    const user = process.getuid ? ` (uid ${process.getuid()})` : "";
    return fail(
      `${directory} cannot be written to: ${code ?? message}`,
      `give it to the user that runs this${user}, or set another directory`,
    );
  } finally {
    await Promise.all([draft, done].map((path) => rm(path, { force: true }).catch(() => {})));
  }
  const { bavail, bsize } = await statfs(directory);
  const told = `${directory} can be written to; ${formatBytes(bavail * bsize)} are free`;
  if (bavail * bsize >= neededBytes) return ok(told);
  return fail(
    `${told}, and ${formatBytes(neededBytes)} are needed`,
    "make room: a new file lies beside the old one until it is verified",
  );
}
