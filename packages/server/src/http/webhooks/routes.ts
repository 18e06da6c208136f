import type { Scope } from "@dbdepot/contract/shared/scopes";
import * as contract from "@dbdepot/contract/v2/webhooks";
import type { FastifyReply } from "fastify";
import type { Static, TObject, TSchema } from "typebox";
import { requireCustomerManager } from "../../domain/access/manager.ts";
import type { Tables } from "../../domain/store.ts";
import { redeliver, requireDelivery, sendTest } from "../../domain/webhooks/deliveries.ts";
import type { Webhook } from "../../domain/webhooks/webhook.ts";
import {
  createWebhook,
  deleteWebhook,
  requireOwnWebhook,
  rotateWebhook,
  updateWebhook,
} from "../../domain/webhooks/webhooks.ts";
import {
  deliveryDetailsToWire,
  deliveryToWire,
  issuedWebhookToWire,
  webhookChangesFromWire,
  webhookToWire,
} from "../../domain/webhooks/wire.ts";
import { type CallerContext, endpoint, managerOf } from "../endpoint.ts";
import { byId, onlyKnown, pageOf } from "../page.ts";
import { sendLimited } from "../plugins/rate-limits.ts";
import type { KeyContext, Route } from "../route.ts";

/** Tests and redeliveries per organization: enough to try things out, but no way to flood a receiver. */
export const WEBHOOK_REQUESTS = { perSecond: 1 / 6, burst: 20 };

/** Whose webhooks a set of routes is about. */
interface WebhookApi<Schema extends TSchema, Query extends TObject> {
  url: string;
  read: Scope;
  write: Scope;
  /** The webhook in the URL, if the caller may see it. */
  find(tables: Pick<Tables, "webhooks">, context: CallerContext): Promise<Webhook>;
  /** The webhook in the URL inside a transaction, if the caller may change it. */
  subjectOf(context: CallerContext): (tables: Tables) => Promise<Webhook>;
  schema: Schema;
  toWire(webhook: Webhook): Static<Schema>;
  deliveriesQuery: Query;
}

/** The routes of one webhook, which customers and operators have. Lists, creation and deletion differ. */
export function webhookRoutes<Schema extends TSchema, Query extends TObject>({
  url,
  read,
  write,
  find,
  subjectOf,
  schema,
  toWire,
  deliveriesQuery,
}: WebhookApi<Schema, Query>): Route[] {
  return [
    endpoint({
      method: "GET",
      url: `${url}/:id`,
      scope: read,
      summary: "Get a webhook",
      description: "Returns the webhook with its state, without the secret.",
      response: schema,
      errors: ["NOT_FOUND"],
      respond: async (context) => toWire(await find(context.services.store, context)),
    }),
    endpoint({
      method: "PATCH",
      url: `${url}/:id`,
      scope: write,
      summary: "Change a webhook",
      description:
        "Changes the URL, the description or the types of events, or disables or enables the webhook. Omitted fields keep their values. A webhook that is enabled again gets the events from then on.",
      body: contract.UpdateWebhookRequest,
      response: schema,
      errors: ["NOT_FOUND", "INVALID_URL"],
      respond: async (context) =>
        toWire(await updateWebhook(context.operation, subjectOf(context), webhookChangesFromWire(context.body))),
    }),
    endpoint({
      method: "POST",
      url: `${url}/:id/rotate`,
      scope: write,
      summary: "Rotate a webhook's secret",
      description:
        "Issues a new secret, which is returned only in this response. For 24 hours, requests are signed with both secrets.",
      response: contract.IssuedWebhook,
      errors: ["NOT_FOUND"],
      respond: async (context) => issuedWebhookToWire(await rotateWebhook(context.operation, subjectOf(context))),
    }),
    endpoint({
      method: "POST",
      url: `${url}/:id/test`,
      scope: write,
      summary: "Send a test event",
      description:
        "Sends a `webhook.test` event once and returns how the receiver responded. Works for disabled webhooks too. If it succeeds, events that are waiting after a failure are sent at once.",
      response: contract.Delivery,
      errors: ["NOT_FOUND"],
      async respond(context) {
        const { services, now } = context;
        const webhook = await find(services.store, context);
        const limited = limitRequests(context, webhook);
        if (limited) return limited;
        return deliveryToWire(await sendTest({ ...services, ...services.webhooks, now }, webhook));
      },
    }),
    endpoint({
      method: "GET",
      url: `${url}/:id/deliveries`,
      scope: read,
      summary: "List deliveries",
      description:
        "Returns the requests that were sent to the webhook in the last 30 days, newest first. The `Link` header points to the next page.",
      query: deliveriesQuery,
      response: contract.DeliveryList,
      errors: ["NOT_FOUND"],
      async respond(context) {
        const { services } = context;
        const { id: webhookId } = await find(services.store, context);
        const page = await pageOf(
          { ...context, query: onlyKnown(context.query, deliveriesQuery) },
          byId,
          ({ limit, from }) => services.store.webhooks.deliveries({ webhookId, limit, before: from }),
          contract.DELIVERIES_LIMIT.default,
        );
        return { deliveries: page.map(deliveryToWire) };
      },
    }),
    endpoint({
      method: "GET",
      url: `${url}/:id/deliveries/:delivery`,
      scope: read,
      summary: "Get a delivery",
      description:
        "Returns one request to the webhook with its headers and body, and those of the response. At most 16 KiB of each body are kept.",
      response: contract.DeliveryDetails,
      errors: ["NOT_FOUND"],
      async respond(context) {
        const { services, request } = context;
        const { delivery } = request.params as { delivery: string };
        return deliveryDetailsToWire(
          await requireDelivery(services.store, await find(services.store, context), delivery),
        );
      },
    }),
    endpoint({
      method: "POST",
      url: `${url}/:id/deliveries/:delivery/redeliver`,
      scope: write,
      summary: "Send an event again",
      description:
        "Sends the event of a delivery again, once and out of order, with the same `webhook-id`, and returns how the receiver responded. Responds with 404 if the event is no longer stored, your organization may no longer download the database, or it was a test.",
      response: contract.Delivery,
      errors: ["NOT_FOUND"],
      async respond(context) {
        const { services, request, now } = context;
        const webhook = await find(services.store, context);
        const limited = limitRequests(context, webhook);
        if (limited) return limited;
        const { delivery } = request.params as { delivery: string };
        return deliveryToWire(await redeliver({ ...services, ...services.webhooks, now }, webhook, delivery));
      },
    }),
  ];
}

/** An organization's own webhooks. */
export const WEBHOOK_ROUTES: readonly Route[] = [
  endpoint({
    method: "GET",
    url: "/api/v2/webhooks",
    scope: "apikeys.manage",
    summary: "List webhooks",
    description: "Returns your organization's webhooks, newest first, without secrets.",
    response: contract.WebhookList,
    async respond({ services, organizationId }) {
      const webhooks = await services.store.webhooks.list({ organizationId });
      return { webhooks: webhooks.map(webhookToWire) };
    },
  }),
  endpoint({
    method: "POST",
    url: "/api/v2/webhooks",
    scope: "apikeys.manage",
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
        id: (await requireCustomerManager(tables, managerOf(context), operation.now)).organizationId,
      });
      return issuedWebhookToWire(await createWebhook(operation, own, request));
    },
  }),
  ...webhookRoutes({
    url: "/api/v2/webhooks",
    read: "apikeys.manage",
    write: "apikeys.manage",
    find: ownWebhook,
    subjectOf,
    schema: contract.Webhook,
    toWire: webhookToWire,
    deliveriesQuery: contract.DeliveriesQuery,
  }),
  endpoint({
    method: "DELETE",
    url: "/api/v2/webhooks/:id",
    scope: "apikeys.manage",
    summary: "Delete a webhook",
    description: "Deletes the webhook and its delivery log. Events that are waiting are not sent.",
    errors: ["NOT_FOUND"],
    async respond(context) {
      await deleteWebhook(context.operation, subjectOf(context));
      return undefined;
    },
  }),
];

/** The webhook in the URL. Another organization's is reported like one that does not exist. */
function ownWebhook(tables: Pick<Tables, "webhooks">, { organizationId, id }: CallerContext): Promise<Webhook> {
  return requireOwnWebhook(tables, organizationId, id);
}

/** Checks again, inside the transaction, that the caller may manage the organization, as for changes of keys. */
function subjectOf(context: CallerContext): (tables: Tables) => Promise<Webhook> {
  return async (tables) => {
    const { organizationId } = await requireCustomerManager(tables, managerOf(context), context.now);
    return requireOwnWebhook(tables, organizationId, context.id);
  };
}

/** Counts a test or redelivery of an organization. Returns the response if it has requested too many. */
function limitRequests({ services, reply, now }: KeyContext, { organizationId }: Webhook): FastifyReply | undefined {
  const wait = services.webhooks.requests.take(organizationId, now.getTime());
  return wait > 0 ? sendLimited(reply, wait, services.webhooks.requests.limit) : undefined;
}
