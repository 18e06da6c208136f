import type { Column } from "@dbdepot/contract/v2/metadata";
import { type ColumnType, parseCell } from "@dbdepot/exporter/columns/column-type";
import type { SharedColumn } from "./shared-table.ts";

/** The type of a column in Parquet, as the elements of a schema describe it. */
interface ParquetType {
  type: "BOOLEAN" | "INT32" | "INT64" | "FLOAT" | "DOUBLE" | "BYTE_ARRAY";
  converted_type?: "UTF8" | "DATE" | "TIMESTAMP_MICROS";
  logical_type?: { type: "TIMESTAMP"; isAdjustedToUTC: true; unit: "MICROS" };
}

type Cell = string | number | bigint | boolean;

/** How the cells of a column are written. */
interface CellType {
  /** The name of the type in schemas of Delta Lake. */
  delta: string;
  parquet: ParquetType;
  /** The value of a cell that is not empty; undefined if the text does not have the type. */
  parse(text: string): Cell | undefined;
}

const STRING: CellType = {
  delta: "string",
  parquet: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  parse: (text) => text,
};
const BOOLEAN: CellType = {
  delta: "boolean",
  parquet: { type: "BOOLEAN" },
  parse: (text) => cellOf("boolean", text),
};
const INTEGER: CellType = { delta: "integer", parquet: { type: "INT32" }, parse: (text) => cellOf("int32", text) };
const UINT16: CellType = { ...INTEGER, parse: (text) => cellOf("uint16", text) };
const LONG: CellType = { delta: "long", parquet: { type: "INT64" }, parse: parseLong };
const UINT32: CellType = {
  ...LONG,
  parse(text) {
    const value = cellOf("uint32", text);
    return value === undefined ? undefined : BigInt(value);
  },
};
const FLOAT: CellType = { delta: "float", parquet: { type: "FLOAT" }, parse: (text) => cellOf("float", text) };
const DOUBLE: CellType = { delta: "double", parquet: { type: "DOUBLE" }, parse: (text) => cellOf("double", text) };
const DATE: CellType = { delta: "date", parquet: { type: "INT32", converted_type: "DATE" }, parse: parseDate };
const TIMESTAMP: CellType = {
  delta: "timestamp",
  parquet: {
    type: "INT64",
    converted_type: "TIMESTAMP_MICROS",
    // Without it, readers take the times for local ones.
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" },
  },
  parse: parseTimestamp,
};

/**
 * The types that metadata documents name. All others are strings, and so are integers that are too large for Delta Lake and
 * bytes, which are hexadecimal in the CSV.
 */
const TYPES = new Map<string, CellType>([
  ["boolean", BOOLEAN],
  ["bool", BOOLEAN],
  ["uint16", UINT16],
  ["int32", INTEGER],
  ["uint32", UINT32],
  ["int64", LONG],
  ["integer", LONG],
  ["int", LONG],
  ["long", LONG],
  ["float", FLOAT],
  ["double", DOUBLE],
  ["number", DOUBLE],
  ["date", DATE],
  ["timestamp", TIMESTAMP],
  ["datetime", TIMESTAMP],
]);

/** A column of a Parquet file. */
export interface TypedColumn extends SharedColumn {
  parquet: ParquetType;
  /** The type in the metadata document, for messages. */
  declared: string;
  /** Null for an empty cell; undefined if the text does not have the type. */
  parse(text: string): Cell | null | undefined;
}

/** The columns of a CSV with this header. A column that the metadata document does not describe is a string. */
export function typedColumns(header: readonly string[], described: readonly Column[]): TypedColumn[] {
  return header.map((name) => {
    const declared = described.find((column) => column.name === name)?.type ?? "string";
    const { delta: type, parquet, parse } = TYPES.get(declared.toLowerCase()) ?? STRING;
    return { name, type, parquet, declared, parse: (text) => (text === "" ? null : parse(text)) };
  });
}

function cellOf<T extends ColumnType>(type: T, text: string) {
  const value = parseCell(type, text)?.value;
  return value as (T extends "boolean" ? boolean : number) | undefined;
}

function parseLong(text: string): bigint | undefined {
  if (!/^-?[0-9]{1,19}$/.test(text)) return undefined;
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

const DAY_MS = 86_400_000;

/** The days since 1970-01-01. */
function parseDate(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const ms = Date.parse(`${text}T00:00:00Z`);
  // JavaScript accepts February 30.
  return Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== text ? undefined : ms / DAY_MS;
}

const TIMESTAMP_PATTERN = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(Z|[+-]\d\d:\d\d)?$/;

/** The microseconds since 1970-01-01. A time without an offset is in UTC. */
function parseTimestamp(text: string): bigint | undefined {
  const [, date = "", time, fraction = "", offset = "Z"] = TIMESTAMP_PATTERN.exec(text) ?? [];
  if (parseDate(date) === undefined) return undefined;
  const ms = Date.parse(`${date}T${time}${offset}`);
  return Number.isNaN(ms) ? undefined : BigInt(ms) * 1000n + BigInt(fraction.padEnd(6, "0"));
}
