import * as contract from "@dbdepot/contract/operator/webhooks";
import { IssuedWebhook } from "@dbdepot/contract/v2/webhooks";
import { organizationIdOf, requireActiveOrganization } from "../../domain/access/find-organization.ts";
import type { Tables } from "../../domain/store.ts";
import { createWebhook, deleteWebhook, requireWebhook } from "../../domain/webhooks/webhooks.ts";
import { issuedWebhookToWire, webhookToOperatorWire } from "../../domain/webhooks/wire.ts";
import { endpoint } from "../endpoint.ts";
import { listPage } from "../page.ts";
import { webhookRoutes } from "../webhooks/routes.ts";

const subjectOf = (id: string) => (tables: Tables) => requireWebhook(tables, id);

export const WEBHOOK_ROUTES = [
  endpoint({
    method: "GET",
    url: "/api/operator/webhooks",
    scope: "operator.read",
    summary: "List all webhooks",
    query: contract.WebhooksQuery,
    response: contract.OperatorWebhookList,
    async respond(context) {
      const { store } = context.services;
      const organizationId = await organizationIdOf(store, context.query.org);
      const page = await listPage(context, (request) => store.webhooks.page({ organizationId }, request));
      return { webhooks: page.map(webhookToOperatorWire) };
    },
  }),
  endpoint({
    method: "POST",
    url: "/api/operator/webhooks",
    scope: "operator.write",
    summary: "Create a webhook",
    body: contract.OperatorCreateWebhookRequest,
    response: IssuedWebhook,
    /** Only this response and that of a rotation carry a secret. */
    async respond({ operation, body: { org, url, description, event_types: eventTypes } }) {
      const owner = (tables: Tables) => requireActiveOrganization(tables, org);
      return issuedWebhookToWire(await createWebhook(operation, owner, { url, description, eventTypes }));
    },
  }),
  ...webhookRoutes({
    url: "/api/operator/webhooks",
    read: "operator.read",
    write: "operator.write",
    find: (tables, { id }) => requireWebhook(tables, id),
    subjectOf: ({ id }) => subjectOf(id),
    schema: contract.OperatorWebhook,
    toWire: webhookToOperatorWire,
    deliveriesQuery: contract.OperatorDeliveriesQuery,
  }),
  endpoint({
    method: "DELETE",
    url: "/api/operator/webhooks/:id",
    scope: "operator.write",
    summary: "Delete a webhook",
    response: contract.DeletedWebhook,
    respond: async ({ operation, id }) => ({ id: (await deleteWebhook(operation, subjectOf(id))).id }),
  }),
];
