import { parseAddress } from "@dbdepot/formats/mmdb/address";
import { isInteger } from "../mmdb/encode.ts";
import { parseNetwork } from "../mmdb/network.ts";
import type { Value } from "../mmdb/value.ts";

/** The type of a column's cells. The names are those of the MMDB types; `ip` and `cidr` are strings there. */
export const COLUMN_TYPES = [
  "string",
  "boolean",
  "uint16",
  "uint32",
  "uint64",
  "uint128",
  "int32",
  "float",
  "double",
  "bytes",
  "ip",
  "cidr",
] as const;
export type ColumnType = (typeof COLUMN_TYPES)[number];

const TRUE = new Set(["true", "t", "1"]);
const FALSE = new Set(["false", "f", "0"]);
const DECIMAL = /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/;

/** The MMDB type of a column's values. */
export function mmdbType(type: ColumnType): Value["type"] {
  return type === "ip" || type === "cidr" ? "string" : type;
}

/** The value of a cell that is not empty; undefined if the text does not have the type. */
export function parseCell(type: ColumnType, text: string): Value | undefined {
  switch (type) {
    case "string":
      return { type, value: text };
    case "boolean":
      return parseBoolean(text);
    case "float":
    case "double":
      return parseDecimal(type, text);
    case "bytes":
      return /^([0-9a-fA-F]{2})+$/.test(text) ? { type, value: Buffer.from(text, "hex") } : undefined;
    case "ip":
      return parseAddress(text) === undefined ? undefined : { type: "string", value: text };
    case "cidr":
      return "fault" in parseNetwork(text) ? undefined : { type: "string", value: text };
    default:
      return parseInteger(type, text);
  }
}

/** The value as a sample shows it in JSON. */
export function toJson(value: Value): string | number | boolean {
  switch (value.type) {
    case "bytes":
      return Buffer.from(value.value).toString("hex");
    case "uint64":
    case "uint128":
      // Most JSON readers would round a larger number.
      return value.value <= Number.MAX_SAFE_INTEGER ? Number(value.value) : String(value.value);
    case "map":
    case "array":
      throw new TypeError(`no column has the type ${value.type}`);
    default:
      return value.value;
  }
}

function parseBoolean(text: string): Value | undefined {
  const word = text.toLowerCase();
  if (TRUE.has(word)) return { type: "boolean", value: true };
  return FALSE.has(word) ? { type: "boolean", value: false } : undefined;
}

function parseDecimal(type: "float" | "double", text: string): Value | undefined {
  if (!DECIMAL.test(text)) return undefined;
  const value = type === "float" ? Math.fround(Number(text)) : Number(text);
  return Number.isFinite(value) ? { type, value } : undefined;
}

function parseInteger(type: "uint16" | "uint32" | "uint64" | "uint128" | "int32", text: string): Value | undefined {
  if (!/^-?[0-9]{1,39}$/.test(text)) return undefined;
  const value = BigInt(text);
  if (!isInteger(type, value)) return undefined;
  return type === "uint64" || type === "uint128" ? { type, value } : { type, value: Number(value) };
}
