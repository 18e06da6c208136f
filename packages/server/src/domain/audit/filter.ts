import { isUuid } from "../../platform/primitives/ids.ts";
import { isEmail } from "../access/person.ts";
import { isPrefix } from "../access/secret.ts";
import type { Tables } from "../store.ts";
import type { AuditFilter } from "./store.ts";

export type AuditQuery = Pick<AuditFilter, "actor" | "action" | "since" | "until"> & { subject?: string | undefined };

/** Looks up what operators filter the audit log by. */
export async function auditFilter(
  tables: Pick<Tables, "organizations" | "keys" | "accounts">,
  { subject, actor, action, since, until }: AuditQuery,
): Promise<Omit<AuditFilter, "limit">> {
  const found = subject === undefined ? {} : await subjectIds(tables, subject);
  return { ...found, actor, action, since, until };
}

/**
 * The ids that a filter by subject matches: an id, the exact name of an organization, the prefix of a key, or an e-mail
 * address. A filter by organization includes its licences, requests and keys.
 */
async function subjectIds(
  tables: Pick<Tables, "organizations" | "keys" | "accounts">,
  idOrName: string,
): Promise<Pick<AuditFilter, "subjects" | "organizationIds">> {
  const organization = isUuid(idOrName)
    ? await tables.organizations.byId(idOrName.toLowerCase())
    : await tables.organizations.byName(idOrName);
  const key = isPrefix(idOrName) ? await tables.keys.byPrefix(idOrName) : undefined;
  const account = isEmail(idOrName) ? await tables.accounts.byEmail(idOrName.toLowerCase()) : undefined;
  return {
    subjects: [idOrName, ...[organization, key, account].flatMap((found) => (found ? [found.id] : []))],
    ...(organization && { organizationIds: [organization.id] }),
  };
}
