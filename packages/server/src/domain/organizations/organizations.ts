import { archivedAt, archivingAction } from "../../platform/primitives/archiving.ts";
import { conflict, invalid, notFound } from "../../platform/primitives/faults.ts";
import { isUuid, newId } from "../../platform/primitives/ids.ts";
import { record } from "../audit/audit.ts";
import { changedLimits, type Limits, NO_LIMITS } from "../limits/limits.ts";
import type { Operation } from "../store.ts";
import { ORGANIZATION_NAME_MAX_LENGTH, type Organization } from "./organization.ts";
import type { OrganizationStore } from "./store.ts";

const CONTROL_CHARACTER = /\p{Cc}/u;

export async function addOrganization(operation: Operation, name: string): Promise<Organization> {
  return operation.store.change(async (tables) => {
    const organization: Organization = {
      id: newId(operation.now),
      name: await requireNewName(tables, name),
      created: operation.now,
      archived: null,
      limits: NO_LIMITS,
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
  change: { name?: string | undefined; isArchived?: boolean | undefined; limits?: Partial<Limits> | undefined },
): Promise<Organization> {
  return operation.store.change(async (tables) => {
    const before = await requireOrganization(tables, idOrName);
    const isRenamed = change.name !== undefined && change.name.trim() !== before.name;
    const after: Organization = {
      ...before,
      name: isRenamed ? await requireNewName(tables, change.name ?? "") : before.name,
      archived: archivedAt(before, change.isArchived, operation.now),
      limits: changedLimits(before.limits, change.limits ?? {}),
    };
    await tables.organizations.update(after);
    if (after.archived) await tables.sessions.removeOfOrganization(after.id);
    if (change.limits) {
      const limits = { before: before.limits, after: after.limits };
      await record(tables, operation, { action: "organization.limits_changed", subject: before.id, ...limits });
      if (change.name === undefined && change.isArchived === undefined) return after;
    }
    const archiving = archivingAction("organization", before, after);
    const action = archiving === "organization.updated" && isRenamed ? "organization.renamed" : archiving;
    await record(tables, operation, { action, subject: before.id, before, after });
    return after;
  });
}

async function requireNewName(tables: { organizations: OrganizationStore }, name: string): Promise<string> {
  const trimmed = name.trim();
  if (trimmed === "" || trimmed.length > ORGANIZATION_NAME_MAX_LENGTH || CONTROL_CHARACTER.test(trimmed)) {
    throw invalid(`an organization's name must be one line of 1 to ${ORGANIZATION_NAME_MAX_LENGTH} characters`);
  }
  // A name that looks like an id would be ambiguous.
  if (isUuid(trimmed)) throw invalid("an organization's name must not look like an id");
  if (await tables.organizations.byName(trimmed)) throw conflict(`an organization named "${trimmed}" already exists`);
  return trimmed;
}

/** Finds an organization that can get licences and keys. */
export async function requireActiveOrganization(
  tables: { organizations: OrganizationStore },
  idOrName: string,
): Promise<Organization> {
  const organization = await requireOrganization(tables, idOrName);
  if (organization.archived) throw conflict(`the organization "${organization.name}" is archived: unarchive it first`);
  return organization;
}

/** Finds an organization by id or by exact name. */
export async function requireOrganization(
  tables: { organizations: OrganizationStore },
  idOrName: string,
): Promise<Organization> {
  const found = await findOrganization(tables, idOrName);
  if (!found) throw notFound(`there is no organization "${idOrName}"`);
  return found;
}

/** Resolves an optional filter: undefined stays undefined. */
export async function organizationIdOf(
  tables: { organizations: OrganizationStore },
  idOrName: string | undefined,
): Promise<string | undefined> {
  return idOrName === undefined ? undefined : (await requireOrganization(tables, idOrName)).id;
}

async function findOrganization({ organizations }: { organizations: OrganizationStore }, idOrName: string) {
  if (isUuid(idOrName)) return organizations.byId(idOrName.toLowerCase());
  // The name may come straight from a URL, and PostgreSQL rejects NUL characters.
  return CONTROL_CHARACTER.test(idOrName) ? undefined : organizations.byName(idOrName.trim());
}
