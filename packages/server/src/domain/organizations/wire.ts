import type { ListedOrganization, OperatorOrganization } from "@dbdepot/contract/operator/organizations";
import { accountIdOf } from "../access/account-id.ts";
import type { Organization } from "./organization.ts";
import type { OrganizationStore } from "./store.ts";

export function organizationToWire(organization: Organization): OperatorOrganization {
  const { id, name, created, archived, externalId, limits, linkRegion } = organization;
  return {
    id,
    account_id: accountIdOf(id),
    name,
    created: created.toISOString(),
    archived: archived?.toISOString() ?? null,
    external_id: externalId,
    limits,
    link_region: linkRegion,
  };
}

/** Organizations with what they have, for lists. */
export async function listedOrganizations(
  store: Pick<OrganizationStore, "holdings">,
  organizations: readonly Organization[],
  now: Date,
): Promise<ListedOrganization[]> {
  const ids = organizations.map(({ id }) => id);
  const holdings = await store.holdings(ids, now);
  return organizations.map((organization) => {
    const { licences = 0, keys = 0, lastDownload, nextEnd } = holdings.get(organization.id) ?? {};
    return {
      ...organizationToWire(organization),
      licences,
      keys,
      last_download: lastDownload?.toISOString() ?? null,
      next_end: nextEnd?.toISOString() ?? null,
    };
  });
}
