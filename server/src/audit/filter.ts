import { isEmail } from "../accounts/person.ts";
import { isPrefix } from "../keys/secret.ts";
import type { Tables } from "../store.ts";
import type { AuditFilter } from "./store.ts";

export type AuditQuery = Pick<AuditFilter, "actor" | "action" | "since" | "until"> & { subject?: string | undefined };

/** Looks up what operators filter the audit log by. */
export async function auditFilter(
  tables: Pick<Tables, "organizations" | "keys" | "accounts">,
  { subject, actor, action, since, until }: AuditQuery,
): Promise<Omit<AuditFilter, "limit">> {
  const subjects = subject === undefined ? undefined : await subjectIds(tables, subject);
  return { subjects, actor, action, since, until };
}

/** The ids that a filter by subject matches: an id, the exact name of an organization, the prefix of a key, or an e-mail address. */
async function subjectIds(
  tables: Pick<Tables, "organizations" | "keys" | "accounts">,
  idOrName: string,
): Promise<string[]> {
  const organization = await tables.organizations.byName(idOrName);
  const key = isPrefix(idOrName) ? await tables.keys.byPrefix(idOrName) : undefined;
  const account = isEmail(idOrName) ? await tables.accounts.byEmail(idOrName.toLowerCase()) : undefined;
  return [idOrName, ...[organization, key, account].flatMap((found) => (found ? [found.id] : []))];
}
