import { conflict, notFound } from "../../platform/primitives/faults.ts";
import { isUuid } from "../../platform/primitives/ids.ts";
import type { Tables } from "../store.ts";

const CONTROL_CHARACTER = /\p{Cc}/u;

/** Finds an organization that can get licences and keys. */
export async function requireActiveOrganization(tables: Pick<Tables, "organizations">, idOrName: string) {
  const organization = await requireOrganization(tables, idOrName);
  if (organization.archived) throw conflict(`the organization "${organization.name}" is archived: unarchive it first`);
  return organization;
}

/** Finds an organization by id or by exact name. */
export async function requireOrganization(tables: Pick<Tables, "organizations">, idOrName: string) {
  const found = await findOrganization(tables, idOrName);
  if (!found) throw notFound(`there is no organization "${idOrName}"`);
  return found;
}

/** Resolves an optional filter: undefined stays undefined. */
export async function organizationIdOf(
  tables: Pick<Tables, "organizations">,
  idOrName: string | undefined,
): Promise<string | undefined> {
  return idOrName === undefined ? undefined : (await requireOrganization(tables, idOrName)).id;
}

async function findOrganization({ organizations }: Pick<Tables, "organizations">, idOrName: string) {
  if (isUuid(idOrName)) return organizations.byId(idOrName.toLowerCase());
  // The name may come straight from a URL, and PostgreSQL rejects NUL characters.
  return CONTROL_CHARACTER.test(idOrName) ? undefined : organizations.byName(idOrName.trim());
}
