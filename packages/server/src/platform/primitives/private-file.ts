import { open } from "node:fs/promises";

const KEY_FILE_MAX_BYTES = 16_384;
const OTHERS = 0o007;
const GROUP = 0o070;

/**
 * Reads a file that nobody else may read. Kubernetes makes secrets readable by a group, but owned by root, so that the service
 * can read them.
 */
export async function readPrivately(path: string): Promise<string> {
  try {
    await using file = await open(path, "r");
    const { mode, uid, size } = await file.stat();
    const isGroupAllowed = uid === 0 && process.getuid?.() !== 0;
    if (mode & OTHERS || (mode & GROUP && !isGroupAllowed)) {
      throw new Error(`${path} can be read by others: run chmod 600 on it`);
    }
    if (size > KEY_FILE_MAX_BYTES) throw new Error(`${path} is too large for a key`);
    return await file.readFile("utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(code === undefined ? message : `cannot read ${path} (${code})`);
  }
}
