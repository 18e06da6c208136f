/**
 * Checks everything that a service or a mirror sends and that becomes part of a path, a size or a digest here. It is
 * checked once, where it enters the client, so that the rest of the code can rely on it.
 */
import { DbdepotError } from "../errors.ts";
import type { Checksums, Database, DatabaseMetadata, PatchOffer } from "./wire.gen.ts";

const DATABASE_ID = /^[a-zA-Z0-9_]{1,64}$/;
const BUILD_ID = /^[0-9a-f-]{36}$/;
/** Other implementations of the interface may have build ids of another form. */
const ANY_BUILD_ID = /^[\w-][\w.-]{0,99}$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DIGESTS: Record<keyof Checksums, RegExp> = {
  md5: /^[0-9a-f]{32}$/,
  sha1: /^[0-9a-f]{40}$/,
  sha256: /^[0-9a-f]{64}$/,
  sha512: /^[0-9a-f]{128}$/,
};

/** Ids become names of files and of properties, so `__proto__` and `constructor` are not accepted either. */
export function isDatabaseId(value: unknown): value is string {
  return matches(value, DATABASE_ID) && !(value in Object.prototype);
}

/** The id of a build of dbdepot, which becomes a part of paths in a mirror. */
export function isBuildId(value: unknown): value is string {
  return matches(value, BUILD_ID);
}

export function isDate(value: unknown): value is string {
  return matches(value, DATE) && !Number.isNaN(Date.parse(value));
}

export function isSize(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

export function isSha256(value: unknown): value is string {
  return matches(value, DIGESTS.sha256);
}

export function areChecksums(value: unknown): value is Checksums {
  return isRecord(value) && Object.entries(DIGESTS).every(([name, pattern]) => matches(value[name], pattern));
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function readCatalogue(document: unknown): Database[] {
  const families = isRecord(document) ? document.databases : undefined;
  if (!Array.isArray(families)) throw unusable("the catalogue has no list of databases");
  for (const family of families) {
    const versions: unknown = isRecord(family) ? family.versions : undefined;
    if (!Array.isArray(versions)) throw unusable("a family in the catalogue has no list of versions");
    for (const version of versions) {
      const { id, formats } = isRecord(version) ? version : {};
      if (!isDatabaseId(id)) throw unusable(`the catalogue has an invalid database id, ${quoted(id)}`);
      if (!Array.isArray(formats)) throw unusable(`the catalogue does not list the formats of ${id}`);
    }
  }
  return families;
}

export function readMetadata(document: unknown): DatabaseMetadata {
  if (!isRecord(document)) throw unusable("the metadata is not a document");
  const { updated, size } = document;
  if (!isDate(updated)) throw unusable(`the metadata has an invalid date, ${quoted(updated)}`);
  // Some services omit sizes.
  const sizes = size === undefined ? {} : size;
  if (!isRecord(sizes) || !Object.values(sizes).every(isSize)) throw unusable("the metadata has an invalid size");
  return document as unknown as DatabaseMetadata;
}

export function readChecksums(document: unknown): Checksums {
  const checksums = isRecord(document) ? document.checksums : undefined;
  if (!areChecksums(checksums)) throw unusable("the checksums are not hexadecimal digests");
  return checksums;
}

/** Null if the service offers no patch from the file with this digest, or one that cannot be used. */
export function readPatchOffer(document: unknown, from: string | undefined): PatchOffer | null {
  const patch = isRecord(document) ? document.patch : undefined;
  if (from === undefined || !isRecord(patch) || patch.from !== from || !isSha256(patch.sha256)) return null;
  return isSize(patch.size_bytes) && isSize(patch.result_size_bytes) ? (patch as unknown as PatchOffer) : null;
}

/** Null if the service sends no build id, or one that cannot be used. */
export function readBuildId(header: string | null): string | null {
  return matches(header, ANY_BUILD_ID) ? header : null;
}

function matches(value: unknown, pattern: RegExp): value is string {
  return typeof value === "string" && pattern.test(value);
}

function quoted(value: unknown): string {
  return (JSON.stringify(value) ?? "none").slice(0, 100);
}

function unusable(problem: string): DbdepotError {
  return new DbdepotError("server", `${problem}; nothing was changed, tell your vendor`);
}
