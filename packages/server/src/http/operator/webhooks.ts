import * as contract from "@dbdepot/contract/operator/webhooks";
import {
  DELIVERIES_LIMIT,
  Delivery,
  DeliveryDetails,
  DeliveryList,
  IssuedWebhook,
  UpdateWebhookRequest,
} from "@dbdepot/contract/v2/webhooks";
import { organizationIdOf, requireActiveOrganization } from "../../domain/organizations/organizations.ts";
import type { Tables } from "../../domain/store.ts";
import { redeliver, requireDelivery, sendTest } from "../../domain/webhooks/deliveries.ts";
import {
  createWebhook,
  deleteWebhook,
  requireWebhook,
  rotateWebhook,
  updateWebhook,
} from "../../domain/webhooks/webhooks.ts";
import {
  deliveryDetailsToWire,
  deliveryToWire,
  issuedWebhookToWire,
  webhookChangesFromWire,
  webhookToOperatorWire,
} from "../../domain/webhooks/wire.ts";
import { endpoint } from "../endpoint.ts";
import { byId, listPage, pageOf } from "../page.ts";
import { limitRequests } from "../webhooks/routes.ts";

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
  endpoint({
    method: "GET",
    url: "/api/operator/webhooks/:id",
    scope: "operator.read",
    summary: "Get a webhook",
    response: contract.OperatorWebhook,
    respond: async ({ services, id }) => webhookToOperatorWire(await requireWebhook(services.store, id)),
  }),
  endpoint({
    method: "PATCH",
    url: "/api/operator/webhooks/:id",
    scope: "operator.write",
    summary: "Change a webhook",
    body: UpdateWebhookRequest,
    response: contract.OperatorWebhook,
    respond: async ({ operation, id, body }) =>
      webhookToOperatorWire(await updateWebhook(operation, subjectOf(id), webhookChangesFromWire(body))),
  }),
  endpoint({
    method: "DELETE",
    url: "/api/operator/webhooks/:id",
    scope: "operator.write",
    summary: "Delete a webhook",
    response: contract.DeletedWebhook,
    respond: async ({ operation, id }) => ({ id: (await deleteWebhook(operation, subjectOf(id))).id }),
  }),
  endpoint({
    method: "POST",
    url: "/api/operator/webhooks/:id/rotate",
    scope: "operator.write",
    summary: "Rotate a webhook's secret",
    response: IssuedWebhook,
    respond: async ({ operation, id }) => issuedWebhookToWire(await rotateWebhook(operation, subjectOf(id))),
  }),
  endpoint({
    method: "POST",
    url: "/api/operator/webhooks/:id/test",
    scope: "operator.write",
    summary: "Send a test event",
    response: Delivery,
    async respond(context) {
      const { services, id, now } = context;
      const webhook = await requireWebhook(services.store, id);
      const limited = limitRequests(context, webhook.organizationId);
      if (limited) return limited;
      return deliveryToWire(await sendTest({ ...services, ...services.webhooks, now }, webhook));
    },
  }),
  endpoint({
    method: "GET",
    url: "/api/operator/webhooks/:id/deliveries",
    scope: "operator.read",
    summary: "List the deliveries of a webhook",
    query: contract.OperatorDeliveriesQuery,
    response: DeliveryList,
    async respond(context) {
      const { webhooks } = context.services.store;
      const { id: webhookId } = await requireWebhook({ webhooks }, context.id);
      const page = await pageOf(
        context,
        byId,
        ({ limit, from }) => webhooks.deliveries({ webhookId, limit, before: from }),
        DELIVERIES_LIMIT.default,
      );
      return { deliveries: page.map(deliveryToWire) };
    },
  }),
  endpoint({
    method: "GET",
    url: "/api/operator/webhooks/:id/deliveries/:delivery",
    scope: "operator.read",
    summary: "Get a delivery",
    response: DeliveryDetails,
    async respond({ services, request, id }) {
      const { delivery } = request.params as { delivery: string };
      const webhook = await requireWebhook(services.store, id);
      return deliveryDetailsToWire(await requireDelivery(services.store, webhook, delivery));
    },
  }),
  endpoint({
    method: "POST",
    url: "/api/operator/webhooks/:id/deliveries/:delivery/redeliver",
    scope: "operator.write",
    summary: "Send an event again",
    response: Delivery,
    async respond(context) {
      const { services, request, id, now } = context;
      const webhook = await requireWebhook(services.store, id);
      const limited = limitRequests(context, webhook.organizationId);
      if (limited) return limited;
      const { delivery } = request.params as { delivery: string };
      return deliveryToWire(await redeliver({ ...services, ...services.webhooks, now }, webhook, delivery));
    },
  }),
];
