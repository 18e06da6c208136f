import { access, constants } from "node:fs/promises";
import { dirname } from "node:path";
import { createDirectory } from "../platform/primitives/create-directory.ts";
import { conflict } from "../platform/primitives/faults.ts";
import { requireFreePorts as requireFree } from "../platform/runtime/listen.ts";
import type { Settings } from "./settings.ts";

/** Creates the directories that the settings name. If one cannot be created or written to, the error says what to do. */
export async function prepareDirectories({ dataDir, database }: Settings): Promise<void> {
  await requireDirectory(dataDir, "DBDEPOT_DATA_DIR");
  const databaseDir = database.engine === "sqlite" ? dirname(database.path) : dataDir;
  if (databaseDir !== dataDir) await requireDirectory(databaseDir, "DBDEPOT_DATABASE_URL");
}

/** The directories that the settings name, by what is in them. */
export function directoriesOf({ dataDir, database, objects }: Settings): Record<string, string> {
  return {
    data: dataDir,
    ...(database.engine === "sqlite" && { database: dirname(database.path) }),
    ...(objects.store === "disk" && { objects: objects.folder }),
  };
}

/** Fails with all ports of the settings that are in use. */
export async function requireFreePorts({ host, port, objects, objectsPort }: Settings): Promise<void> {
  const ports = [{ port, setting: "DBDEPOT_PORT" }];
  if (objects.store === "disk") ports.push({ port: objectsPort, setting: "DBDEPOT_OBJECTS_PORT" });
  await requireFree(host, ports);
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
