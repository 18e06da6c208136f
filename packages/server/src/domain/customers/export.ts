import type { Organization } from "../organizations/organization.ts";
import type { Store } from "../store.ts";
import type { RawRecord } from "./columns.ts";
import { dateOf } from "./diff.ts";

export type ExportedRecord = Omit<RawRecord, "line">;

/**
 * Everything that an import needs to create the same customers elsewhere. An organization or licence without an external id
 * gets its own id, by which an import finds it again. Left out are revoked keys, secrets that a rotation has replaced,
 * accounts that are disabled, licences that were ended before they began, and what organizations have accepted.
 */
export async function exportCustomers(
  store: Pick<Store, "customers">,
  organizations: readonly Organization[],
): Promise<ExportedRecord[]> {
  const { customers } = store;
  const ids = organizations.map(({ id }) => id);
  const keys = (await customers.keysOf(ids)).filter(({ revoked }) => !revoked);
  const secrets = await customers.secrets({ hashes: [], prefixes: keys.map(({ prefix }) => prefix) });
  const hashes = new Map(secrets.map(({ prefix, hash }) => [prefix, hash]));
  const legacyKeys = (await customers.legacyKeysOf(ids)).filter(({ revoked }) => !revoked);
  const accounts = (await customers.accountsOf(ids)).filter(({ disabled }) => !disabled);
  const licences = (await customers.licencesOf(ids)).filter(({ starts, expires }) => !expires || starts < expires);
  const children = Map.groupBy(
    [
      ...licences.map((licence) => ({
        organizationId: licence.organizationId,
        kind: "licence" as const,
        values: {
          external_id: licence.externalId ?? licence.id,
          family: licence.base,
          redistribution: licence.redistribution,
          starts: dateOf(licence.starts),
          expires: dateOf(licence.expires),
          renews_at: dateOf(licence.renewsAt),
          notice_due_at: dateOf(licence.noticeDueAt),
          terms: licence.termsId,
        },
      })),
      ...accounts.map(({ organizationId, email, name, role }) => ({
        organizationId,
        kind: "account" as const,
        values: { name: name || null, email, role },
      })),
      ...keys.map(({ organizationId, name, expires, scopes, cidrs, prefix }) => ({
        organizationId,
        kind: "key" as const,
        values: {
          name,
          expires: dateOf(expires),
          scopes,
          cidrs,
          key_prefix: prefix,
          sha256: hashes.get(prefix) ?? null,
        },
      })),
      ...legacyKeys.map(({ organizationId, name, hash, databaseIds }) => ({
        organizationId,
        kind: "legacy_key" as const,
        values: { name, sha256: hash, databases: databaseIds },
      })),
    ],
    ({ organizationId }) => organizationId,
  );
  return organizations.flatMap(({ id, externalId, name, archived, limits }) => {
    const organization = externalId ?? id;
    const values = { name, archived: archived !== null, ...limits };
    const own: ExportedRecord = { kind: "organization", organization, values };
    return [own, ...(children.get(id) ?? []).map(({ kind, values }) => ({ kind, organization, values }))];
  });
}
