import { open } from "node:fs/promises";

/** Without this, a power failure can undo the creation or renaming of files in the directory, even of synced ones. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
