import { open } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { runCommand } from "../../../harness/server.ts";
import { historySql } from "./history.ts";
import type { Scale } from "./scale.ts";
import { type Row, tables } from "./tables.ts";

/** Fills a new data directory. The server creates the schema; SQL inserts millions of rows faster. */
export async function createSqliteData(dataDir: string, scale: Scale): Promise<void> {
  await runCommand({ dataDir }, "migrate");
  const path = join(dataDir, "dbdepot.sqlite");
  {
    using database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
    database.exec("pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -400000; begin");
    withoutIndexes(database, () => {
      for (const [table, rows] of tables(scale)) insert(database, table, rows);
      if (scale.attempts > 0) database.exec(historySql("sqlite", scale));
    });
    database.exec("update revision set value = 1; commit; analyze; pragma journal_mode = wal");
  }
  // Otherwise the system would write a gigabyte during a measurement.
  await using file = await open(path, "r+");
  await file.sync();
}

/** Creating an index after the rows is much faster than maintaining it for each row. */
function withoutIndexes(database: DatabaseSync, fill: () => void): void {
  const indexes = database
    .prepare("select name, sql from sqlite_master where type = 'index' and sql is not null")
    .all() as { name: string; sql: string }[];
  for (const { name } of indexes) database.exec(`drop index "${name}"`);
  fill();
  for (const { sql } of indexes) database.exec(sql);
}

function insert(database: DatabaseSync, table: string, rows: Iterable<Row>): void {
  let statement: ReturnType<DatabaseSync["prepare"]> | undefined;
  for (const row of rows) {
    const columns = Object.keys(row);
    statement ??= database.prepare(`insert into ${table} (${columns}) values (${columns.map(() => "?")})`);
    statement.run(...Object.values(row));
  }
}
