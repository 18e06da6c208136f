import * as contract from "@dbdepot/contract/v2/webhooks";
import { requireManager } from "../../domain/keys/management.ts";
import type { Tables } from "../../domain/store.ts";
import { redeliver, sendTest } from "../../domain/webhooks/deliveries.ts";
import type { Webhook } from "../../domain/webhooks/webhook.ts";
import {
  createWebhook,
  deleteWebhook,
  requireOwnWebhook,
  rotateWebhook,
  updateWebhook,
} from "../../domain/webhooks/webhooks.ts";
import {
  deliveryToWire,
  issuedWebhookToWire,
  webhookChangesFromWire,
  webhookToWire,
} from "../../domain/webhooks/wire.ts";
import { managerOf } from "../operation.ts";
import { byId, pageOf } from "../page.ts";
import type { Route } from "../route.ts";
import { limitRequests } from "./requests.ts";
import { type WebhookContext, webhookRoute } from "./route.ts";

/** An organization's own webhooks. */
export const WEBHOOK_ROUTES: readonly Route[] = [
  webhookRoute({
    method: "GET",
    url: "/api/v2/webhooks",
    summary: "List webhooks",
    description: "Returns your organization's webhooks, newest first, without secrets.",
    response: contract.WebhookList,
    async respond({ services, organizationId }) {
      const webhooks = await services.store.webhooks.list({ organizationId });
      return { webhooks: webhooks.map(webhookToWire) };
    },
  }),
  webhookRoute({
    method: "POST",
    url: "/api/v2/webhooks",
    summary: "Create a webhook",
    description:
      "Events that happen from now on are sent to the URL. The secret, with which you verify requests, is returned only in this response. An organization can have 20 webhooks.",
    body: contract.CreateWebhookRequest,
    response: contract.IssuedWebhook,
    errors: ["INVALID_URL", "TOO_MANY_WEBHOOKS"],
    async respond(context) {
      const { operation, body } = context;
      const request = { url: body.url, description: body.description, eventTypes: body.event_types };
      const own = async (tables: Tables) => ({
        id: (await requireManager(tables, operation, managerOf(context))).organizationId,
      });
      return issuedWebhookToWire(await createWebhook(operation, own, request));
    },
  }),
  webhookRoute({
    method: "GET",
    url: "/api/v2/webhooks/:id",
    summary: "Get a webhook",
    description: "Returns the webhook with its state, without the secret.",
    response: contract.Webhook,
    respond: async ({ webhook }) => webhookToWire(await webhook()),
  }),
  webhookRoute({
    method: "PATCH",
    url: "/api/v2/webhooks/:id",
    summary: "Change a webhook",
    description:
      "Changes the URL, the description or the types of events, or disables or enables the webhook. Omitted fields keep their values. A webhook that is enabled again gets the events from then on.",
    body: contract.UpdateWebhookRequest,
    response: contract.Webhook,
    errors: ["INVALID_URL"],
    respond: async (context) =>
      webhookToWire(await updateWebhook(context.operation, subjectOf(context), webhookChangesFromWire(context.body))),
  }),
  webhookRoute({
    method: "DELETE",
    url: "/api/v2/webhooks/:id",
    summary: "Delete a webhook",
    description: "Deletes the webhook and its delivery log. Events that are waiting are not sent.",
    async respond(context) {
      await deleteWebhook(context.operation, subjectOf(context));
      return undefined;
    },
  }),
  webhookRoute({
    method: "POST",
    url: "/api/v2/webhooks/:id/rotate",
    summary: "Rotate a webhook's secret",
    description:
      "Issues a new secret, which is returned only in this response. For 24 hours, requests are signed with both secrets.",
    response: contract.IssuedWebhook,
    respond: async (context) => issuedWebhookToWire(await rotateWebhook(context.operation, subjectOf(context))),
  }),
  webhookRoute({
    method: "POST",
    url: "/api/v2/webhooks/:id/test",
    summary: "Send a test event",
    description:
      "Sends a `webhook.test` event once and returns how the receiver responded. Works for disabled webhooks too. If it succeeds, events that are waiting after a failure are sent at once.",
    response: contract.Delivery,
    async respond(context) {
      const { services, organizationId, now } = context;
      const webhook = await context.webhook();
      const limited = limitRequests(context, organizationId);
      if (limited) return limited;
      return deliveryToWire(await sendTest({ ...services, ...services.webhooks, now }, webhook));
    },
  }),
  webhookRoute({
    method: "GET",
    url: "/api/v2/webhooks/:id/deliveries",
    summary: "List deliveries",
    description:
      "Returns the requests that were sent to the webhook in the last 30 days, newest first. The `Link` header points to the next page.",
    query: contract.DeliveriesQuery,
    response: contract.DeliveryList,
    async respond({ services, request, reply, query: { limit, cursor }, webhook }) {
      const { id: webhookId } = await webhook();
      // Other parameters are ignored, and must not show up in the Link header: a client may send its key in one.
      const query = { ...(limit !== undefined && { limit }), ...(cursor !== undefined && { cursor }) };
      const page = await pageOf(
        { query, request, reply },
        byId,
        ({ limit, from }) => services.store.webhooks.deliveries({ webhookId, limit, before: from }),
        contract.DELIVERIES_LIMIT.default,
      );
      return { deliveries: page.map(deliveryToWire) };
    },
  }),
  webhookRoute({
    method: "POST",
    url: "/api/v2/webhooks/:id/deliveries/:delivery/redeliver",
    summary: "Send an event again",
    description:
      "Sends the event of a delivery again, once and out of order, with the same `webhook-id`, and returns how the receiver responded. Responds with 404 if the event is no longer stored, your organization may no longer download the database, or it was a test.",
    response: contract.Delivery,
    async respond(context) {
      const { services, request, organizationId, now } = context;
      const webhook = await context.webhook();
      const limited = limitRequests(context, organizationId);
      if (limited) return limited;
      const { delivery } = request.params as { delivery: string };
      return deliveryToWire(await redeliver({ ...services, ...services.webhooks, now }, webhook, delivery));
    },
  }),
];

/** Checks again, inside the transaction, that the caller may manage the organization, as for changes of keys. */
function subjectOf(context: WebhookContext): (tables: Tables) => Promise<Webhook> {
  return async (tables) => {
    const { organizationId } = await requireManager(tables, context.operation, managerOf(context));
    return requireOwnWebhook(tables, organizationId, context.id);
  };
}
