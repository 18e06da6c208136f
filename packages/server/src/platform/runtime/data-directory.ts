import { access, constants } from "node:fs/promises";
import { dirname } from "node:path";
import type { Settings } from "../../settings/settings.ts";
import { createDirectory } from "../primitives/create-directory.ts";
import { conflict } from "../primitives/faults.ts";

/** Creates the directories that the settings name. Fails with what to do if they cannot be created or written to. */
export async function prepareDirectories({ dataDir, database }: Settings): Promise<void> {
  await requireDirectory(dataDir, "DBDEPOT_DATA_DIR");
  const databaseDir = database.engine === "sqlite" ? dirname(database.path) : dataDir;
  if (databaseDir !== dataDir) await requireDirectory(databaseDir, "DBDEPOT_DATABASE_URL");
}

async function requireDirectory(path: string, setting: string): Promise<void> {
  try {
    await createDirectory(path, 0o700);
  } catch (error) {
    const code = codeOf(error);
    const advice = code === "ENOSPC" ? "free some space" : `set ${setting} to one that can be created`;
    throw conflict(`cannot create the directory ${path} (${code}): ${advice}`);
  }
  try {
    await access(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw conflict(`${path} is not writable (${codeOf(error)}): change its permissions, or set ${setting}`);
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
