import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { Store } from "../store.ts";
import { openSqlite } from "./sqlite/engine.ts";
import { sqlStore } from "./store.ts";

/** Where the data lies: a SQLite file, or a Postgres server. */
export type DatabaseAddress = { engine: "sqlite"; path: string } | { engine: "postgres"; url: string };

export async function openStore(address: DatabaseAddress): Promise<Store> {
  if (address.engine === "postgres") {
    // Only those who need it load its driver: 5 MB.
    const { openPostgres } = await import("./postgres/engine.ts");
    return sqlStore(openPostgres(address.url));
  }
  mkdirSync(dirname(address.path), { recursive: true, mode: 0o700 });
  return sqlStore(openSqlite(address.path));
}
