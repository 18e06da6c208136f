import { open } from "node:fs/promises";

/**
 * Syncs a directory. Otherwise a power failure can undo the creation or renaming of files in it, even of synced ones.
 */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
