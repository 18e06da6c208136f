import { DuckDBInstance, type DuckDBValue } from "@duckdb/node-api";

/** Runs a query in an empty DuckDB. */
export async function query(sql: string): Promise<Record<string, DuckDBValue>[]> {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  try {
    // Times without an offset are in the time zone of the session.
    await connection.run("set timezone = 'UTC'");
    return await (await connection.runAndReadAll(sql)).getRowObjects();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** A table function that reads Parquet files, in the order of the list. */
function parquet(paths: readonly string[]): string {
  return `read_parquet([${paths.map((path) => `'${path}'`).join(", ")}])`;
}

/** The rows of Parquet files, with every value as text; null is null. */
export async function rowsOf(paths: readonly string[]): Promise<(string | null)[][]> {
  const rows = await query(`select columns(*)::varchar from ${parquet(paths)}`);
  return rows.map((row) => Object.values(row) as (string | null)[]);
}

/** The types of the columns, by their names. */
export async function typesOf(paths: readonly string[]): Promise<Record<string, DuckDBValue>> {
  const rows = await query(`describe select * from ${parquet(paths)}`);
  return Object.fromEntries(rows.map(({ column_name: name, column_type: type }) => [String(name), type ?? null]));
}
