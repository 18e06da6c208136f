import { record } from "../audit/audit.ts";
import { conflict, invalid, notFound } from "../primitives/faults.ts";
import { isUuid, newId } from "../primitives/ids.ts";
import type { Operation } from "../store.ts";
import { ORGANIZATION_NAME_MAX_LENGTH, type Organization } from "./organization.ts";
import type { OrganizationStore } from "./store.ts";

export async function addOrganization(operation: Operation, name: string): Promise<Organization> {
  const trimmed = name.trim();
  if (trimmed === "" || trimmed.length > ORGANIZATION_NAME_MAX_LENGTH || /\p{Cc}/u.test(trimmed)) {
    throw invalid(`an organization's name is one line of 1 to ${ORGANIZATION_NAME_MAX_LENGTH} characters`);
  }
  // A name in the shape of an id could never be told from one again.
  if (isUuid(trimmed)) throw invalid("an organization's name must not look like an id");
  return operation.store.change(async (tables) => {
    if (await tables.organizations.byName(trimmed)) throw conflict(`an organization named "${trimmed}" exists already`);
    const organization: Organization = { id: newId(operation.now), name: trimmed, created: operation.now };
    await tables.organizations.insert(organization);
    await record(tables, operation, { action: "organization.added", subject: organization.id, after: organization });
    return organization;
  });
}

/** By id or by exact name. */
export async function requireOrganization(
  tables: { organizations: OrganizationStore },
  idOrName: string,
): Promise<Organization> {
  const found = isUuid(idOrName)
    ? await tables.organizations.byId(idOrName.toLowerCase())
    : await tables.organizations.byName(idOrName.trim());
  if (!found) throw notFound(`there is no organization "${idOrName}"`);
  return found;
}
