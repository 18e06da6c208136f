import Type from "typebox";

/** Family names and versioned ids use the same characters. */
const NAME = /^[a-zA-Z0-9_]+$/;
const VERSIONED = /^([a-zA-Z0-9_]+)_v([1-9][0-9]{0,8})$/;

/** Longer ids are never valid. */
export const DATABASE_ID_MAX_LENGTH = 64;

export const DatabaseId = Type.String({
  title: "DatabaseId",
  pattern: NAME.source,
  maxLength: DATABASE_ID_MAX_LENGTH,
  description: "A versioned database id, `<family>_v<n>`.",
  examples: ["vpn_ip_v1"],
});

export function isWellFormedName(value: string): boolean {
  return value.length <= DATABASE_ID_MAX_LENGTH && NAME.test(value);
}

/** Parses `vpn_ip_v1` into family and version number. Returns undefined for any other shape. */
export function parseDatabaseId(id: string): { base: string; version: number } | undefined {
  if (!isWellFormedName(id)) return undefined;
  const match = VERSIONED.exec(id);
  if (match?.[1] === undefined) return undefined;
  return { base: match[1], version: Number(match[2]) };
}

/** Databases keyed by provider id contain no networks, so they have no mmdb build. */
export function isProviderFamily(base: string): boolean {
  return base.endsWith("_provider");
}
