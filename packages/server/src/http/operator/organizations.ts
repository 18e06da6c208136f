import {
  AddOrganizationRequest,
  OperatorOrganization,
  OrganizationList,
  UpdateOrganizationRequest,
} from "@dbdepot/contract/operator/organizations";
import { NoQuery, PageQuery } from "@dbdepot/contract/operator/queries";
import { addOrganization, requireOrganization, updateOrganization } from "../../domain/organizations/organizations.ts";
import { organizationToWire } from "../../domain/organizations/wire.ts";
import { endpoint } from "../endpoint.ts";
import { byName, pageOf } from "../page.ts";

export const ORGANIZATION_ROUTES = [
  endpoint({
    method: "GET",
    url: "/api/operator/organizations",
    scope: "operator.read",
    summary: "List organizations",
    query: PageQuery,
    response: OrganizationList,
    async respond(context) {
      const { organizations } = context.services.store;
      const page = await pageOf(context, byName, ({ limit, from }) => organizations.list({ limit, after: from }));
      return { organizations: page.map(organizationToWire) };
    },
  }),
  endpoint({
    method: "POST",
    url: "/api/operator/organizations",
    scope: "operator.write",
    summary: "Add an organization",
    body: AddOrganizationRequest,
    response: OperatorOrganization,
    respond: async ({ operation, body }) => organizationToWire(await addOrganization(operation, body.name)),
  }),
  endpoint({
    method: "GET",
    url: "/api/operator/organizations/:id",
    scope: "operator.read",
    summary: "Get an organization",
    query: NoQuery,
    response: OperatorOrganization,
    respond: async ({ services, id }) => organizationToWire(await requireOrganization(services.store, id)),
  }),
  endpoint({
    method: "PATCH",
    url: "/api/operator/organizations/:id",
    scope: "operator.write",
    summary: "Change or archive an organization",
    body: UpdateOrganizationRequest,
    response: OperatorOrganization,
    async respond({ operation, id, body: { name, archived: isArchived } }) {
      return organizationToWire(await updateOrganization(operation, id, { name, isArchived }));
    },
  }),
];
