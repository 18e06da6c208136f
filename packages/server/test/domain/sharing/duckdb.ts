import type { Column } from "@dbdepot/contract/v2/metadata";
import { DuckDBInstance, type DuckDBValue } from "@duckdb/node-api";
import { typedColumns } from "../../../src/domain/sharing/column-types.ts";

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

/** DuckDB's names of the types in schemas of Delta Lake. */
const TYPES: Record<string, string> = {
  string: "varchar",
  boolean: "boolean",
  integer: "integer",
  long: "bigint",
  float: "float",
  double: "double",
  date: "date",
  timestamp: "timestamptz",
};

/** A table function that reads a csv.gz whose columns have these types in the metadata document. */
export function csv(path: string, columns: readonly Column[]): string {
  const names = columns.map(({ name }) => name);
  const types = typedColumns(names, columns).map(({ name, type }) => `${name}: '${TYPES[type]}'`);
  return `read_csv('${path}', columns = {${types.join(", ")}}, auto_detect = false, header = true, delim = ',', quote = '"',
    escape = '"', nullstr = '')`;
}

/** A table function that reads Parquet files, in the order of the list. */
export function parquet(paths: readonly string[]): string {
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
