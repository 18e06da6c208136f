import pg from "pg";
import { runCommand, type ServerData } from "../../../harness/server.ts";
import { startOwnPostgres } from "../../../harness/servers/postgres-server.ts";
import type { Bench } from "../bench.ts";
import { historySql } from "./history.ts";
import type { Scale } from "./scale.ts";
import { type Row, tables } from "./tables.ts";

const ROWS_PER_INSERT = 1000;

export interface Postgres extends AsyncDisposable {
  url: string;
}

/** fsync and synchronous_commit keep their defaults: a download is durable before the server responds. */
export async function startPostgres(): Promise<Postgres> {
  const { url, stop } = await startOwnPostgres(["max_wal_size=8GB"]);
  return { url, [Symbol.asyncDispose]: stop };
}

/** Creates and fills a database. The server creates the schema; SQL inserts millions of rows faster. */
export async function createPostgresData(
  bench: Bench,
  server: Postgres,
  name: string,
  scale: Scale,
): Promise<ServerData & { databaseUrl: string }> {
  await withClient(server.url, (client) => client.query(`create database ${name}`));
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  const data = { dataDir: bench.newPath(name), databaseUrl: url.href };
  await runCommand(data, "migrate");
  await withClient(url.href, (client) => fill(client, scale));
  return data;
}

async function fill(client: pg.Client, scale: Scale): Promise<void> {
  await client.query("set synchronous_commit = off; set maintenance_work_mem = '512MB'");
  for (const [table, rows] of tables(scale)) {
    for (const chunk of chunksOf(rows)) {
      const columns = Object.keys(chunk[0] ?? {});
      const sql = `insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, $1)`;
      await client.query(sql, [JSON.stringify(chunk, bytesAsText)]);
    }
  }
  const { rows: indexes } = await client.query(
    "select indexname, indexdef from pg_indexes where tablename = 'attempts' and indexname not like '%_pkey'",
  );
  for (const { indexname } of indexes) await client.query(`drop index ${indexname}`);
  if (scale.attempts > 0) await client.query(historySql("postgres", scale));
  for (const { indexdef } of indexes) await client.query(indexdef);
  await client.query("update revision set value = 1");
  await client.query("vacuum analyze");
  await client.query("checkpoint");
}

function* chunksOf(rows: Iterable<Row>): Generator<Row[]> {
  let chunk: Row[] = [];
  for (const row of rows) {
    chunk.push(row);
    if (chunk.length < ROWS_PER_INSERT) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/** Converts the output of `Buffer.toJSON` to PostgreSQL's text format for bytea. */
function bytesAsText(_: string, value: unknown): unknown {
  const isBytes = typeof value === "object" && value !== null && "type" in value && value.type === "Buffer";
  return isBytes ? `\\x${Buffer.from((value as unknown as { data: number[] }).data).toString("hex")}` : value;
}

async function withClient(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await work(client).finally(() => client.end());
}
