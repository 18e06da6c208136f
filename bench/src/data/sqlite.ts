import { open } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { operate } from "../service.ts";
import { BEGAN_MS, baseOf, hex, idOf, idTime, licensedFamily } from "./names.ts";
import type { Scale } from "./scale.ts";
import { type Row, tables } from "./tables.ts";

const HISTORY_SPAN_MS = 365 * 24 * 3_600_000;

/** Fills a new data folder. The schema is the service's own; rows are written by the million, and so by SQL. */
export async function makeSqliteData(dataDir: string, scale: Scale): Promise<void> {
  await operate({ dataDir }, "migrate");
  const path = join(dataDir, "dbdepot.sqlite");
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  try {
    database.exec(`
      pragma journal_mode = off;
      pragma synchronous = off;
      pragma cache_size = -400000;
      pragma temp_store = memory;
      begin;
    `);
    withoutIndexes(database, () => {
      for (const [table, rows] of tables(scale)) insert(database, table, rows);
      insertHistory(database, scale);
    });
    database.exec("update revision set value = 1; commit; pragma journal_mode = wal;");
  } finally {
    database.close();
  }
  // Else the system would write gigabytes some half a minute later, while a row is measured.
  await using file = await open(path, "r+");
  await file.sync();
}

/** To sort a million entries once is far quicker than to put each in its place. The same indexes are there in the end. */
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
    statement ??= database.prepare(
      `insert into ${table} (${columns.join(", ")}) values (${columns.map(() => "?").join(", ")})`,
    );
    statement.run(...Object.values(row));
  }
}

/** In rounds: every organization has one attempt in each, so the rows of one organization lie far apart, as they would. */
function insertHistory(database: DatabaseSync, scale: Scale): void {
  const { organizations, attempts } = scale;
  const rounds = attempts / organizations;
  database.exec(`
    create temp table round (number integer primary key, id_time text, created text);
    create temp table visitor (number integer primary key, id_rest text, organization_id text, key_id text, dataset_id text);
  `);
  const round = database.prepare("insert into round values (?, ?, ?)");
  for (let i = 0; i < rounds; i += 1) {
    const ms = BEGAN_MS + Math.floor((i * HISTORY_SPAN_MS) / rounds);
    round.run(i, idTime(ms), new Date(ms).toISOString());
  }
  const visitor = database.prepare("insert into visitor values (?, ?, ?, ?, ?)");
  for (let i = 0; i < organizations; i += 1) {
    const dataset = `${baseOf(licensedFamily(scale, i, 0))}_v1`;
    visitor.run(i, `-7000-8000-${hex(i, 12)}`, idOf("organization", i), idOf("key", i), dataset);
  }
  database.exec(`
    insert into attempts
      (id, api, organization_id, key_id, dataset_id, format, outcome, bytes, http_status, client_ip, user_agent, created)
    select id_time || id_rest, 'v2', organization_id, key_id, dataset_id, 'mmdb', 'ok', 73400320, 302, '192.0.2.1',
      'curl/8.0', created
    from round cross join visitor order by round.number, visitor.number;
  `);
}
