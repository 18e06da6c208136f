import { chmodSync, globSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

const PREFIX = "dbdepot-tests-";

/**
 * Creates a directory for a test run, and deletes those of killed runs: files in memory would stay until the next restart.
 * A run holds a lock of SQLite in its directory. The kernel releases it when the run ends, and shows it to containers that share the
 * directory but not process ids.
 */
export function temporaryDirectory(parent: string): { path: string; remove(): void } {
  removeAbandoned(parent);
  const path = mkdtempSync(join(parent, PREFIX));
  chmodSync(path, 0o755); // PostgreSQL may run as another user.
  const lock = acquire(path);
  return {
    path,
    remove: () => {
      rmSync(path, { recursive: true, force: true });
      lock?.close();
    },
  };
}

function removeAbandoned(parent: string): void {
  for (const path of globSync(join(parent, `${PREFIX}*`))) {
    try {
      if (statSync(path).uid !== process.geteuid?.()) continue;
      // A run without this file has not locked its directory yet.
      statSync(lockIn(path));
      using lock = acquire(path);
      if (lock) rmSync(path, { recursive: true, force: true });
    } catch {
      // Another run has deleted it, or some of its files belong to another user.
    }
  }
}

/** Returns undefined if a run holds the lock. */
function acquire(path: string): DatabaseSync | undefined {
  const database = new DatabaseSync(lockIn(path));
  try {
    database.exec("begin exclusive");
    return database;
  } catch {
    database.close();
    return undefined;
  }
}

const lockIn = (path: string) => join(path, "lock");
