import { isDeepStrictEqual } from "node:util";
import { archivedAt, archivingAction } from "../../platform/primitives/archiving.ts";
import { conflict, invalid } from "../../platform/primitives/faults.ts";
import { isUuid, newId } from "../../platform/primitives/ids.ts";
import { requireOrganization } from "../access/find-organization.ts";
import { record } from "../audit/audit.ts";
import { changedLimits, type Limits, NO_LIMITS } from "../limits/limits.ts";
import { endProgramKeysFor } from "../programs/ending.ts";
import type { Operation, Tables } from "../store.ts";
import { EXTERNAL_ID_MAX_LENGTH, ORGANIZATION_NAME_MAX_LENGTH, type Organization } from "./organization.ts";
import type { OrganizationStore } from "./store.ts";

const CONTROL_CHARACTER = /\p{Cc}/u;

export async function addOrganization(
  operation: Operation,
  name: string,
  externalId: string | null = null,
): Promise<Organization> {
  return operation.store.change(async (tables) => {
    const organization: Organization = {
      id: newId(operation.now),
      name: await requireNewName(tables, name),
      created: operation.now,
      archived: null,
      externalId: await requireNewExternalId(tables, externalId),
      limits: NO_LIMITS,
      linkRegion: null,
    };
    await tables.organizations.insert(organization);
    await record(tables, operation, { action: "organization.added", subject: organization.id, after: organization });
    return organization;
  });
}

/** Fields that are undefined keep their values. */
export async function updateOrganization(
  operation: Operation,
  idOrName: string,
  change: {
    name?: string | undefined;
    isArchived?: boolean | undefined;
    externalId?: string | null | undefined;
    limits?: Partial<Limits> | undefined;
    linkRegion?: string | null | undefined;
  },
): Promise<Organization> {
  return operation.store.change(async (tables) => {
    const before = await requireOrganization(tables, idOrName);
    const isRenamed = change.name !== undefined && change.name.trim() !== before.name;
    const after: Organization = {
      ...before,
      name: isRenamed ? await requireNewName(tables, change.name ?? "") : before.name,
      archived: archivedAt(before, change.isArchived, operation.now),
      externalId:
        change.externalId === undefined || change.externalId?.trim() === before.externalId
          ? before.externalId
          : await requireNewExternalId(tables, change.externalId),
      limits: changedLimits(before.limits, change.limits ?? {}),
      linkRegion: change.linkRegion === undefined ? before.linkRegion : requireRegion(operation, change.linkRegion),
    };
    return applyOrganizationChange(tables, operation, before, after);
  });
}

/** Writes a change that has been checked. Call it in a transaction. */
export async function applyOrganizationChange(
  tables: Tables,
  operation: Operation,
  before: Organization,
  after: Organization,
): Promise<Organization> {
  await tables.organizations.update(after);
  if (after.archived) {
    await tables.sessions.removeOfOrganization(after.id);
    await endProgramKeysFor(tables, operation, after.id);
  }
  if (!isDeepStrictEqual(before.limits, after.limits)) {
    // The name says which organization it was, in the console and on the command line.
    const states = { before: { name: before.name, ...before.limits }, after: { name: after.name, ...after.limits } };
    await record(tables, operation, { action: "organization.limits_changed", subject: before.id, ...states });
    if (isDeepStrictEqual({ ...before, limits: null }, { ...after, limits: null })) return after;
  }
  const archiving = archivingAction("organization", before, after);
  const isRenamed = after.name !== before.name;
  const action = archiving === "organization.updated" && isRenamed ? "organization.renamed" : archiving;
  await record(tables, operation, { action, subject: before.id, before, after });
  return after;
}

async function requireNewName(tables: { organizations: OrganizationStore }, name: string): Promise<string> {
  const valid = requireOrganizationName(name);
  if (await tables.organizations.byName(valid)) throw conflict(`an organization named "${valid}" already exists`);
  return valid;
}

export function requireOrganizationName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === "" || trimmed.length > ORGANIZATION_NAME_MAX_LENGTH || CONTROL_CHARACTER.test(trimmed)) {
    throw invalid(`an organization's name must be one line of 1 to ${ORGANIZATION_NAME_MAX_LENGTH} characters`);
  }
  // A name that looks like an id would be ambiguous.
  if (isUuid(trimmed)) throw invalid("an organization's name must not look like an id");
  return trimmed;
}

async function requireNewExternalId(
  tables: { organizations: OrganizationStore },
  externalId: string | null,
): Promise<string | null> {
  if (externalId === null) return null;
  const valid = requireExternalId(externalId);
  const holder = await tables.organizations.byExternalId(valid);
  if (holder) throw conflict(`the organization "${holder.name}" already has the external id "${valid}"`);
  return valid;
}

function requireRegion({ rules }: Operation, region: string | null): string | null {
  const known = rules?.linkRegions ?? [];
  if (region === null || known.includes(region)) return region;
  throw invalid(
    known.length === 0
      ? "links have no regions: set DBDEPOT_LINK_ORIGINS"
      : `there is no region "${region}": DBDEPOT_LINK_ORIGINS has ${known.join(", ")}`,
  );
}

/** An id of the vendor's own, of an organization or a licence. */
export function requireExternalId(externalId: string): string {
  const trimmed = externalId.trim();
  const isLine = trimmed !== "" && trimmed.isWellFormed() && !CONTROL_CHARACTER.test(trimmed);
  if (!isLine || trimmed.length > EXTERNAL_ID_MAX_LENGTH) {
    throw invalid(`an external id must be one line of 1 to ${EXTERNAL_ID_MAX_LENGTH} characters`);
  }
  return trimmed;
}
