import {
  AddOrganizationRequest,
  OperatorOrganization,
  OrganizationList,
  OrganizationsQuery,
  UpdateOrganizationRequest,
} from "@dbdepot/contract/operator/organizations";
import { NoQuery } from "@dbdepot/contract/operator/queries";
import { LimitList } from "@dbdepot/contract/v2/limits";
import { requireOrganization } from "../../domain/access/find-organization.ts";
import { limitUses, readConsumption } from "../../domain/limits/use.ts";
import { addOrganization, updateOrganization } from "../../domain/organizations/organizations.ts";
import { listedOrganizations, organizationToWire } from "../../domain/organizations/wire.ts";
import { endpoint } from "../endpoint.ts";
import { listPage } from "../page.ts";

export const ORGANIZATION_ROUTES = [
  endpoint({
    method: "GET",
    url: "/api/operator/organizations",
    scope: "operator.read",
    summary: "List organizations",
    query: OrganizationsQuery,
    response: OrganizationList,
    async respond(context) {
      const { query, now } = context;
      const { organizations } = context.services.store;
      const filter = { ids: query.ids?.split(","), isArchived: query.state && query.state === "archived" };
      const page = await listPage(context, (request) => organizations.page(filter, request, now));
      return { organizations: await listedOrganizations(organizations, page, now) };
    },
  }),
  endpoint({
    method: "POST",
    url: "/api/operator/organizations",
    scope: "operator.write",
    summary: "Add an organization",
    body: AddOrganizationRequest,
    response: OperatorOrganization,
    respond: async ({ operation, body }) =>
      organizationToWire(await addOrganization(operation, body.name, body.external_id)),
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
    async respond({ operation, id, body: { name, limits, ...body } }) {
      const { archived: isArchived, external_id: externalId, link_region: linkRegion } = body;
      const change = { name, isArchived, externalId, limits, linkRegion };
      return organizationToWire(await updateOrganization(operation, id, change));
    },
  }),
  endpoint({
    method: "GET",
    url: "/api/operator/organizations/:id/limits",
    scope: "operator.read",
    summary: "Get the limits of an organization and what it has used of them",
    query: NoQuery,
    response: LimitList,
    async respond({ services, id: idOrName, now }) {
      const { id, limits } = await requireOrganization(services.store, idOrName);
      const used = await readConsumption(services.store, id, now);
      return { limits: limitUses(limits, used, services.limits.streamsOf(id), now) };
    },
  }),
];
