import { Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from "kysely";
import type { Engine } from "../connection.ts";
import type { Schema } from "../schema.ts";
import { SqliteAttempts } from "./attempts.ts";
import { SqliteLog } from "./log.ts";
import { SqlitePool } from "./pool.ts";

export function openSqlite(path: string): Engine {
  const pool = new SqlitePool(path);
  const queries = new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SeveralConnections(),
      createDriver: () => pool,
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  const log = new SqliteLog(path, queries, pool);
  const attempts = new SqliteAttempts(pool, queries, log);
  return {
    name: "sqlite",
    queries,
    attempts,
    textType: "text",
    bytesType: "blob",
    given: (rows, columns) => {
      const values = Object.keys(columns).map((name) => sql`value ->> ${sql.lit(name)} as ${sql.ref(name)}`);
      return sql`(select ${sql.join(values)} from json_each(${JSON.stringify(rows)})) as given`;
    },
    // Every writing transaction begins "immediate" and so has the only write lock.
    lockMigrations: async () => {},
    hasTable: async (name) => {
      const { rows } = await sql`select 1 from sqlite_master where type = 'table' and name = ${name}`.execute(queries);
      return rows.length > 0;
    },
    close: async () => {
      await log.atRest();
      await queries.destroy();
      // Kysely leaves alone what it has never used.
      await pool.destroy();
      await log.close();
    },
  };
}

/** Kysely holds SQLite to one connection, so that reads would wait for every commit. */
class SeveralConnections extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}
