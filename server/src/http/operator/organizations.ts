import type { OperatorOrganization } from "@dbdepot/contract/operator";
import type { PageQuery } from "@dbdepot/contract/operator-queries";
import type { AddOrganizationRequest, UpdateOrganizationRequest } from "@dbdepot/contract/operator-requests";
import type { OrganizationList } from "@dbdepot/contract/operator-responses";
import { addOrganization, requireOrganization, updateOrganization } from "../../organizations/organizations.ts";
import { organizationToWire } from "../../organizations/wire.ts";
import type { Store } from "../../store.ts";
import { byName, pageOf } from "../page.ts";
import type { OperatorContext } from "./route.ts";

export async function listOrganizations(context: OperatorContext<PageQuery>): Promise<OrganizationList> {
  const { organizations } = context.services.store;
  const page = await pageOf(context, byName, ({ limit, from }) =>
    organizations.list({ limit, ...(from !== undefined && { after: from }) }),
  );
  return { organizations: page.map(organizationToWire) };
}

export async function postOrganization({
  operation,
  body,
}: OperatorContext<unknown, AddOrganizationRequest>): Promise<OperatorOrganization> {
  return organizationToWire(await addOrganization(operation, body.name));
}

/** The filter for the `org` parameter. */
/** The organization is given by id or by exact name. */
export async function patchOrganization({
  operation,
  id,
  body,
}: OperatorContext<unknown, UpdateOrganizationRequest>): Promise<OperatorOrganization> {
  const { name, archived: isArchived } = body;
  return organizationToWire(await updateOrganization(operation, id, { name, isArchived }));
}

export async function organizationFilter(store: Store, org: string | undefined): Promise<{ organizationId?: string }> {
  return org === undefined ? {} : { organizationId: (await requireOrganization(store, org)).id };
}
