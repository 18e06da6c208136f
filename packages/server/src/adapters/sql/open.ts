import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type { Store } from "../../domain/store.ts";
import { openSqlite } from "./sqlite/engine.ts";
import { sqlStore } from "./store.ts";

/** A SQLite file or a PostgreSQL server. */
export type DatabaseAddress = { engine: "sqlite"; path: string } | { engine: "postgres"; url: string };

export async function openStore(address: DatabaseAddress): Promise<Store> {
  if (address.engine === "postgres") {
    // Imported on demand, so that SQLite installations don't load it.
    const { openPostgres } = await import("./postgres/engine.ts");
    return sqlStore(openPostgres(address.url));
  }
  mkdirSync(dirname(address.path), { recursive: true, mode: 0o700 });
  createPrivateFile(address.path);
  return sqlStore(openSqlite(address.path));
}

/**
 * SQLite would let everyone read a new database, and gives its journals the mode of the database. A file that exists keeps
 * its mode. Failures are left to SQLite, which reports them with the first query.
 */
function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch {}
}
