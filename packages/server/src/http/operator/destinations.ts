import * as contract from "@dbdepot/contract/operator/destinations";
import { OperatorDeliveriesQuery } from "@dbdepot/contract/operator/webhooks";
import {
  organizationIdOf,
  requireActiveOrganization,
  requireOrganization,
} from "../../domain/access/find-organization.ts";
import {
  allowDestinations,
  createDestination,
  deleteDestination,
  requireDestination,
} from "../../domain/destinations/destinations.ts";
import {
  destinationRequestFromWire,
  destinationToOperatorWire,
  permissionToWire,
  setupToWire,
} from "../../domain/destinations/wire.ts";
import type { Tables } from "../../domain/store.ts";
import { endpoint } from "../endpoint.ts";
import { listPage } from "../page.ts";
import { destinationRoutes } from "../webhooks/destination-routes.ts";

const subjectOf = (id: string) => (tables: Tables) => requireDestination(tables, id);

export const DESTINATION_ROUTES = [
  endpoint({
    method: "GET",
    url: "/api/operator/destinations",
    scope: "operator.read",
    summary: "List all destinations",
    query: contract.DestinationsQuery,
    response: contract.OperatorDestinationList,
    async respond(context) {
      const { store } = context.services;
      const organizationId = await organizationIdOf(store, context.query.org);
      const page = await listPage(context, (request) => store.destinations.page({ organizationId }, request));
      const databases = await store.destinations.databases(page.map(({ id }) => id));
      return { destinations: page.map((destination) => destinationToOperatorWire(destination, databases)) };
    },
  }),
  endpoint({
    method: "POST",
    url: "/api/operator/destinations",
    scope: "operator.write",
    summary: "Create a destination",
    body: contract.OperatorCreateDestinationRequest,
    response: contract.OperatorDestination,
    errors: ["DELIVERIES_NOT_ALLOWED", "TOO_MANY_DESTINATIONS", "WAY_NOT_AVAILABLE"],
    async respond({ operation, body: { org, ...request } }) {
      const owner = (tables: Tables) => requireActiveOrganization(tables, org);
      const created = await createDestination(operation, owner, destinationRequestFromWire(request));
      return destinationToOperatorWire(created, []);
    },
  }),
  ...destinationRoutes({
    url: "/api/operator/destinations",
    read: "operator.read",
    write: "operator.write",
    find: (tables, { id }) => requireDestination(tables, id),
    subjectOf: ({ id }) => subjectOf(id),
    schema: contract.OperatorDestination,
    toWire: destinationToOperatorWire,
    deliveriesQuery: OperatorDeliveriesQuery,
  }),
  endpoint({
    method: "DELETE",
    url: "/api/operator/destinations/:id",
    scope: "operator.write",
    summary: "Delete a destination",
    response: contract.DeletedDestination,
    respond: async ({ operation, id }) => ({ id: (await deleteDestination(operation, subjectOf(id))).id }),
  }),
  endpoint({
    method: "GET",
    url: "/api/operator/organizations/:id/destinations",
    scope: "operator.read",
    summary: "Get whether builds may be delivered to an organization",
    response: contract.OrganizationDestinations,
    errors: ["NOT_FOUND"],
    async respond({ services, id }) {
      const { id: organizationId } = await requireOrganization(services.store, id);
      const permission = await services.store.destinations.permission(organizationId);
      return { organization_id: organizationId, ...setupToWire(permission, services.rules) };
    },
  }),
  endpoint({
    method: "PUT",
    url: "/api/operator/organizations/:id/destinations",
    scope: "operator.write",
    summary: "Allow or stop deliveries to buckets of an organization",
    body: contract.AllowDestinationsRequest,
    response: contract.OrganizationDestinations,
    errors: ["NOT_FOUND"],
    async respond({ operation, services, body, id }) {
      const owner = (tables: Tables) => requireOrganization(tables, id);
      return permissionToWire(await allowDestinations(operation, owner, body.allowed), services.rules);
    },
  }),
];
