import type { MmdbValue } from "./metadata.ts";

/** Integers that JSON numbers cannot hold become strings, and bytes become hexadecimal digits. */
export function toJson(value: MmdbValue): unknown {
  if (typeof value === "bigint") return value <= Number.MAX_SAFE_INTEGER ? Number(value) : value.toString();
  if (Buffer.isBuffer(value)) return value.toString("hex");
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, toJson(each)]));
}
