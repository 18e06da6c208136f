import { BadLines } from "../../platform/primitives/bad-lines.ts";
import { conflict, Fault, invalid, notFound } from "../../platform/primitives/faults.ts";
import { isUuid, newId } from "../../platform/primitives/ids.ts";
import { requireActiveOrganization } from "../access/find-organization.ts";
import { record } from "../audit/audit.ts";
import { requireVersion } from "../catalogue/catalogue.ts";
import { requireKeyName } from "../keys/keys.ts";
import type { Operation, Tables } from "../store.ts";
import { generateUuid, hashUuid, type LegacyKey, type LegacyKeyRequest, normalizeUuid } from "./legacy-key.ts";
import type { LegacyKeyLine } from "./legacy-key-file.ts";

/** A legacy key together with its UUID, which exists only in the response that issues it. */
export interface IssuedLegacyKey {
  key: LegacyKey;
  uuid: string;
}

export async function createLegacyKey(operation: Operation, request: LegacyKeyRequest): Promise<IssuedLegacyKey> {
  return operation.store.change((tables) => insertLegacyKey(tables, operation, request));
}

/** Imports all keys or none. Reports every invalid line with the reason. */
export async function importLegacyKeys(operation: Operation, lines: readonly LegacyKeyLine[]): Promise<LegacyKey[]> {
  if (lines.length === 0) throw invalid("there are no keys in the file");
  return operation.store.change(async (tables) => {
    const keys: LegacyKey[] = [];
    const bad: { line: number; reason: string }[] = [];
    const lineOf = new Map<string, number>();
    for (const each of lines) {
      try {
        if ("fault" in each) throw invalid(each.fault);
        requireFirst(lineOf, each.request.uuid, each.line);
        keys.push((await insertLegacyKey(tables, operation, each.request)).key);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        bad.push({ line: each.line, reason: error.message });
      }
    }
    if (bad.length > 0) throw new BadLines(bad);
    return keys;
  });
}

function requireFirst(lineOf: Map<string, number>, uuid: string, line: number): void {
  const normalized = normalizeUuid(uuid) ?? "";
  const earlier = lineOf.get(normalized);
  if (normalized !== "" && earlier !== undefined) throw invalid(`the UUID is the same as on line ${earlier}`);
  lineOf.set(normalized, line);
}

async function insertLegacyKey(
  tables: Tables,
  operation: Operation,
  request: LegacyKeyRequest,
): Promise<IssuedLegacyKey> {
  const uuid = request.uuid ?? generateUuid();
  const normalized = normalizeUuid(uuid);
  if (normalized === undefined) throw invalid("the UUID must have 32 hexadecimal digits, with or without dashes");
  const name = requireKeyName(request.name);
  // Names are stored, shown and logged, and the columns of an imported file may be mixed up.
  if (normalizeUuid(name) === normalized) throw invalid("the name is the UUID itself, which is a secret");
  const databaseIds = [...new Set(request.databaseIds)];
  if (databaseIds.length === 0) throw invalid("a legacy key needs at least one database id");
  for (const id of databaseIds) await requireVersion(tables, id);
  const organization =
    request.organization === undefined ? undefined : await requireActiveOrganization(tables, request.organization);
  const hash = hashUuid(normalized);
  if (await tables.legacyKeys.byHash(hash)) throw conflict("a legacy key with this UUID already exists");
  const key: LegacyKey = {
    id: newId(operation.now),
    organizationId: organization?.id ?? null,
    name,
    hash,
    databaseIds,
    created: operation.now,
    lastUsed: null,
    revoked: null,
  };
  await tables.legacyKeys.insert(key);
  await record(tables, operation, { action: "legacy_key.created", subject: key.id, after: auditable(key) });
  return { key, uuid };
}

export async function revokeLegacyKey(operation: Operation, id: string): Promise<LegacyKey> {
  return operation.store.change(async (tables) => {
    const before = isUuid(id) ? await tables.legacyKeys.byId(id.toLowerCase()) : undefined;
    // The message does not repeat the id, which may be the credential itself: that is a UUID, too.
    if (!before) throw notFound('there is no such legacy key: use the id that "legacy-keys list" shows');
    if (before.revoked) throw conflict(`the legacy key ${id} was revoked on ${before.revoked.toISOString()}`);
    const after: LegacyKey = { ...before, revoked: operation.now };
    await tables.legacyKeys.update(after);
    await record(tables, operation, {
      action: "legacy_key.revoked",
      subject: after.id,
      before: auditable(before),
      after: auditable(after),
    });
    return after;
  });
}

/** Writes a change that has been checked. Call it in a transaction. */
export async function applyLegacyKeyChange(
  tables: Tables,
  operation: Operation,
  before: LegacyKey,
  after: LegacyKey,
): Promise<void> {
  await tables.legacyKeys.update(after);
  await record(tables, operation, {
    action: "legacy_key.updated",
    subject: after.id,
    before: auditable(before),
    after: auditable(after),
  });
}

/** The hash is left out, because the audit log is shown to more people than the database. */
export function auditable({ hash: _, ...shown }: LegacyKey): Omit<LegacyKey, "hash"> {
  return shown;
}
