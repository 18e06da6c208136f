import { Kysely, PostgresDialect, type PostgresPool, sql } from "kysely";
import pg from "pg";
import { Unavailable } from "../../../platform/primitives/faults.ts";
import type { Engine } from "../connection.ts";
import type { Schema } from "../schema.ts";

/** How long to wait for PostgreSQL before treating it as unreachable. */
interface PostgresTimeouts {
  connectMs: number;
  /** PostgreSQL cancels a statement that takes longer. */
  statementMs: number;
  /** We drop the connection if even the cancellation does not arrive: longer than `statementMs`. */
  queryMs: number;
  /** The same two timeouts for `polls`. */
  pollStatementMs: number;
  pollMs: number;
}

const TIMEOUTS: PostgresTimeouts = {
  connectMs: 5000,
  statementMs: 30_000,
  queryMs: 35_000,
  pollStatementMs: 4000,
  pollMs: 5000,
};
/** Together with the one for `polls`, a process has up to ten connections. */
const CONNECTIONS_MAX = 9;
/**
 * SQLSTATE classes: connection exception, insufficient resources, operator intervention (timeouts included), system
 * error.
 */
const UNAVAILABLE_CLASSES = ["08", "53", "57", "58"];
/** The SQLSTATE of a write that a read-only server refuses. */
const READ_ONLY_TRANSACTION = "25006";
/** An arbitrary number that all processes share. */
const MIGRATION_LOCK = 7_238_401_155;

export function openPostgres(url: string, timeouts = TIMEOUTS): Engine {
  const options: pg.PoolConfig = {
    connectionString: url,
    connectionTimeoutMillis: timeouts.connectMs,
    keepAlive: true,
    application_name: "dbdepot",
    types: { getTypeParser },
  };
  const queries = connect({
    ...options,
    max: CONNECTIONS_MAX,
    statement_timeout: timeouts.statementMs,
    query_timeout: timeouts.queryMs,
  });
  const polls = connect({
    ...options,
    max: 1,
    statement_timeout: timeouts.pollStatementMs,
    query_timeout: timeouts.pollMs,
  });
  return {
    name: "postgres",
    queries,
    polls,
    jsonRows: (rows, columns) => {
      const types = Object.entries(columns).map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`);
      return sql`json_to_recordset(${JSON.stringify(rows)}::json) as input(${sql.join(types)})`;
    },
    textType: 'text collate "C"',
    bytesType: "bytea",
    migrationTransaction: async (work) => {
      const withoutLimit = connect({ ...options, max: 1 });
      try {
        return await withoutLimit.transaction().execute(async (transaction) => {
          await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(transaction);
          return work(transaction);
        });
      } finally {
        await withoutLimit.destroy();
      }
    },
    hasTable: async (name) => {
      const { rows } = await sql`select 1 where to_regclass(${name}) is not null`.execute(queries);
      return rows.length > 0;
    },
    close: async () => {
      await Promise.all([queries.destroy(), polls.destroy()]);
    },
  };
}

function connect(options: pg.PoolConfig): Kysely<Schema> {
  const pool = new pg.Pool({ ...options, onConnect: (client) => refuseReadOnly(client, options) });
  // A connection that breaks while idle is replaced at the next query; without a listener it would end the process.
  pool.on("error", () => {});
  // The same applies to a connection that breaks during a query. The query fails anyway.
  pool.on("connect", (client) => client.on("error", () => {}));
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool: droppingUnusable(pool) }) });
}

/**
 * Every download writes to the history, so a standby cannot be used, and its rows may be out of date. After a
 * failover the next connection may reach the new primary.
 */
async function refuseReadOnly(client: pg.ClientBase, { connectionTimeoutMillis }: pg.PoolConfig): Promise<void> {
  const query = { text: "show transaction_read_only", query_timeout: connectionTimeoutMillis };
  const { rows } = await client.query<{ transaction_read_only: string }>(query);
  if (rows[0]?.transaction_read_only === "on") throw new Error("the server is read-only: connect to the primary");
}

/**
 * Closes a connection whose query failed without a response from the server, for example because of `query_timeout`:
 * back in the pool, it would make every later query wait for the lost response. Also closes a connection that has
 * become read-only.
 */
function droppingUnusable(pool: pg.Pool): PostgresPool {
  const connect = async () => {
    const client = await pool.connect().catch((error) => {
      throw unavailable(error);
    });
    let lost: Unavailable | undefined;
    return {
      async query(text: string, parameters: unknown[]) {
        if (lost) throw lost;
        try {
          return await client.query(text, parameters);
        } catch (error) {
          if (!(error instanceof pg.DatabaseError) || error.code === READ_ONLY_TRANSACTION) {
            lost = unavailable(error as Error);
            throw lost;
          }
          throw UNAVAILABLE_CLASSES.includes(error.code?.slice(0, 2) ?? "") ? unavailable(error) : error;
        }
      },
      release: () => client.release(lost),
    };
  };
  // The type also requires cursors, which only streamed queries need.
  return { options: pool.options, end: () => pool.end(), connect: connect as unknown as PostgresPool["connect"] };
}

function unavailable(cause: Error): Unavailable {
  return new Unavailable(`PostgreSQL is unavailable: ${cause.message}`, { cause });
}

/** Our bigints (sizes, counts, revisions) are safe integers: return them as numbers, as SQLite does. */
function getTypeParser(oid: number, format?: "text" | "binary") {
  if (oid === pg.types.builtins.INT8) return (text: string) => Number(text);
  return pg.types.getTypeParser(oid, format as "text");
}
