import {
  DATABASE_ID_MAX_LENGTH,
  isProviderFamily,
  isWellFormedName,
  parseDatabaseId,
} from "@dbdepot/contract/shared/database-id";
import { FORMATS, type Format, isFormat } from "@dbdepot/contract/shared/formats";
import { archivedAt, archivingAction } from "../../platform/primitives/archiving.ts";
import { conflict, invalid, notFound } from "../../platform/primitives/faults.ts";
import { record } from "../audit/audit.ts";
import { enqueue } from "../jobs/jobs.ts";
import type { Operation, Tables } from "../store.ts";
import type { Family, Visibility } from "./family.ts";
import type { FamilyStore, VersionStore } from "./store.ts";
import type { Version } from "./version.ts";

/** Leaves room for `_v` and a number after the family's name. */
const BASE_MAX_LENGTH = DATABASE_ID_MAX_LENGTH - "_v999999999".length;
const TEXT_MAX_LENGTH = 500;

export async function addFamily(
  operation: Operation,
  request: { base: string; name: string; visibility: Visibility; open?: boolean },
): Promise<Family> {
  const { base, visibility, open = false } = request;
  if (!isWellFormedName(base) || base.length > BASE_MAX_LENGTH) {
    throw invalid(`"${base}" is not a valid family name: use 1 to ${BASE_MAX_LENGTH} letters, digits and "_"`);
  }
  if (parseDatabaseId(base)) throw invalid(`"${base}" is the id of a version; a family is named without "_v<n>"`);
  const name = requireLine("a family's name", request.name);
  requireOpenIsPublic({ base, visibility, open });
  return operation.store.change(async (tables) => {
    if (await tables.families.byBase(base)) throw conflict(`the family ${base} already exists`);
    const family: Family = { base, name, visibility, created: operation.now, archived: null, open };
    await tables.families.insert(family);
    await record(tables, operation, { action: "family.added", subject: base, after: family });
    return family;
  });
}

export async function addVersion(
  operation: Operation,
  request: {
    id: string;
    summary: string;
    formats: readonly string[];
    recompress?: boolean | undefined;
    tables?: boolean | undefined;
  },
): Promise<Version> {
  const parsed = parseDatabaseId(request.id);
  if (!parsed) throw invalid(`"${request.id}" is not a version id: use <family>_v<n>, like vpn_ip_v1`);
  const summary = requireLine("a version's summary", request.summary);
  const formats = requireFormats(parsed.base, request.formats);
  return operation.store.change(async (tables) => {
    await requireFamily(tables, parsed.base);
    if (await tables.versions.byId(request.id)) throw conflict(`the version ${request.id} already exists`);
    const version: Version = {
      id: request.id,
      base: parsed.base,
      number: parsed.version,
      summary,
      formats,
      currentBuildId: null,
      created: operation.now,
      archived: null,
      recompress: request.recompress ?? false,
      tables: request.tables ?? false,
    };
    requireTablesHaveCsv(version);
    await tables.versions.insert(version);
    await record(tables, operation, { action: "version.added", subject: version.id, after: version });
    return version;
  });
}

/** Fields that are undefined keep their values. */
export async function updateFamily(
  operation: Operation,
  base: string,
  change: {
    name?: string | undefined;
    visibility?: Visibility | undefined;
    isArchived?: boolean | undefined;
    open?: boolean | undefined;
  },
): Promise<Family> {
  return operation.store.change(async (tables) => {
    const before = await requireFamily(tables, base);
    const after: Family = {
      ...before,
      name: requireLine("a family's name", change.name ?? before.name),
      visibility: change.visibility ?? before.visibility,
      archived: archivedAt(before, change.isArchived, operation.now),
      open: change.open ?? before.open,
    };
    requireOpenIsPublic(after);
    await tables.families.update(after);
    await record(tables, operation, { action: archivingAction("family", before, after), subject: base, before, after });
    return after;
  });
}

/** Fields that are undefined keep their values. */
export async function updateVersion(
  operation: Operation,
  id: string,
  change: {
    summary?: string | undefined;
    isArchived?: boolean | undefined;
    recompress?: boolean | undefined;
    tables?: boolean | undefined;
  },
): Promise<Version> {
  return operation.store.change(async (tables) => {
    const before = await requireVersion(tables, id);
    const after: Version = {
      ...before,
      summary: requireLine("a version's summary", change.summary ?? before.summary),
      archived: archivedAt(before, change.isArchived, operation.now),
      recompress: change.recompress ?? before.recompress,
      tables: change.tables ?? before.tables,
    };
    requireTablesHaveCsv(after);
    await tables.versions.update(after);
    const { currentBuildId } = after;
    if (!after.tables) await tables.jobs.remove("write_tables", id);
    else if (!before.tables && currentBuildId) await requestTables(tables, id, currentBuildId, operation.now);
    await record(tables, operation, { action: archivingAction("version", before, after), subject: id, before, after });
    return after;
  });
}

/** Queues the job that writes the tables of a build. */
export function requestTables(
  tables: Pick<Tables, "jobs">,
  versionId: string,
  buildId: string,
  now: Date,
): Promise<void> {
  return enqueue(tables, "write_tables", { versionId, buildId }, now);
}

export async function requireFamily(tables: { families: FamilyStore }, base: string): Promise<Family> {
  // The name may come straight from a URL, and PostgreSQL rejects NUL characters.
  const family = isWellFormedName(base) ? await tables.families.byBase(base) : undefined;
  if (family) return family;
  const versioned = parseDatabaseId(base);
  throw notFound(
    versioned && (await tables.families.byBase(versioned.base))
      ? `there is no family "${base}": that is a version of the family ${versioned.base}`
      : `there is no family "${base}"`,
  );
}

export async function requireVersion(
  tables: { families: FamilyStore; versions: VersionStore },
  id: string,
): Promise<Version> {
  const version = isWellFormedName(id) ? await tables.versions.byId(id) : undefined;
  if (version) return version;
  throw notFound(
    isWellFormedName(id) && (await tables.families.byBase(id))
      ? `there is no version "${id}": that is a family; its versions are named ${id}_v<n>`
      : `there is no version "${id}"`,
  );
}

/** Everyone can download an open family, so hiding it would only mislead. */
function requireOpenIsPublic({ base, visibility, open }: Pick<Family, "base" | "visibility" | "open">): void {
  if (open && visibility === "private") {
    throw invalid(`the family ${base} cannot be both open and private: every organization can download an open family`);
  }
}

function requireTablesHaveCsv({ id, formats, tables }: Version): void {
  if (tables && !formats.includes("csvgz")) {
    throw invalid(`${id} is not built as csvgz, from which tables are written: leave tables off`);
  }
}

function requireFormats(base: string, formats: readonly string[]): Format[] {
  for (const format of formats) {
    if (!isFormat(format)) throw invalid(`"${format}" is not a format: choose from ${FORMATS.join(", ")}`);
  }
  if (isProviderFamily(base) && formats.includes("mmdb")) {
    throw invalid(`${base} is keyed by provider id and has no addresses: it cannot be built as mmdb`);
  }
  const chosen = FORMATS.filter((format) => formats.includes(format));
  if (chosen.length === 0) throw invalid(`a version needs at least one format: ${FORMATS.join(", ")}`);
  return chosen;
}

function requireLine(what: string, text: string): string {
  const line = text.trim();
  if (line === "" || line.length > TEXT_MAX_LENGTH || /\p{Cc}/u.test(line)) {
    throw invalid(`${what} must be one line of 1 to ${TEXT_MAX_LENGTH} characters`);
  }
  return line;
}
