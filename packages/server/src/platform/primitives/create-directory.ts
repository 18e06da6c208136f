import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** Works like `mkdir` with `recursive`, but that never returns for a directory below /proc. */
export async function createDirectory(path: string, mode: number): Promise<void> {
  if (await exists(path)) return;
  await createDirectory(dirname(path), mode);
  await mkdir(path, { mode }).catch((error) => {
    // Another process has just created it.
    if (error.code !== "EEXIST") throw error;
  });
}

async function exists(path: string): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
  throw Object.assign(new Error(`${path} is not a directory`), { code: "ENOTDIR" });
}
