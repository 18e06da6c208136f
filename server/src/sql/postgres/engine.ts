import { Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";
import type { Engine } from "../connection.ts";
import type { Schema } from "../schema.ts";
import { postgresAttempts } from "./attempts.ts";

const CONNECTIONS_MAX = 10;
const CONNECT_TIMEOUT_MS = 10_000;
/** Any number will do, as long as all of us use the same. */
const MIGRATION_LOCK = 7_238_401_155;

export function openPostgres(url: string): Engine {
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: "dbdepot",
    types: { getTypeParser },
  });
  // A connection that breaks while idle is replaced at the next query; without a listener it would end the process.
  pool.on("error", () => {});
  const queries = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  const given: Engine["given"] = (rows, columns) => {
    const types = Object.entries(columns).map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`);
    return sql`json_to_recordset(${JSON.stringify(rows)}::json) as given(${sql.join(types)})`;
  };
  return {
    name: "postgres",
    queries,
    attempts: postgresAttempts({ queries, given }),
    given,
    textType: 'text collate "C"',
    bytesType: "bytea",
    lockMigrations: async (transaction) => {
      await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(transaction);
    },
    hasTable: async (name) => {
      const { rows } = await sql`select 1 where to_regclass(${name}) is not null`.execute(queries);
      return rows.length > 0;
    },
    close: () => queries.destroy(),
  };
}

/** Our bigints (sizes, counts, revisions) are safe integers: numbers, as SQLite gives them. */
function getTypeParser(oid: number, format?: "text" | "binary") {
  if (oid === pg.types.builtins.INT8) return (text: string) => Number(text);
  return pg.types.getTypeParser(oid, format as "text");
}
