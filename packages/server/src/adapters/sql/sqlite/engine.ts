import { Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from "kysely";
import type { Engine } from "../connection.ts";
import type { Schema } from "../schema.ts";
import { SqliteDriver } from "./driver.ts";

export function openSqlite(path: string): Engine {
  const driver = new SqliteDriver(path);
  const queries = new Kysely<Schema>({
    dialect: {
      createAdapter: () => new ConcurrentSqliteAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
  return {
    name: "sqlite",
    queries,
    polls: queries,
    textType: "text",
    bytesType: "blob",
    jsonRows: (rows, columns) => {
      const values = Object.keys(columns).map((name) => sql`value ->> ${sql.lit(name)} as ${sql.ref(name)}`);
      return sql`(select ${sql.join(values)} from json_each(${JSON.stringify(rows)})) as input`;
    },
    // The transaction holds the only write lock, so no other migration runs meanwhile.
    migrationTransaction: (work) => queries.transaction().execute(work),
    hasTable: async (name) => {
      const tables = queries.selectFrom(sql<{ type: string; name: string }>`sqlite_master`.as("tables"));
      const found = tables.select("name").where("type", "=", "table").where("name", "=", name);
      return (await found.executeTakeFirst()) !== undefined;
    },
    // Bypasses Kysely, which skips a driver that has not run a query yet.
    close: () => driver.destroy(),
  };
}

/** Kysely allows only one connection to SQLite, so that reads would wait for every commit. */
class ConcurrentSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}
