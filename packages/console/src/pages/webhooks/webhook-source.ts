import type { OperatorWebhook, WebhooksQuery } from "@dbdepot/contract/operator/webhooks";
import type {
  CreateWebhookRequest,
  Delivery,
  DeliveryDetails,
  IssuedWebhook,
  UpdateWebhookRequest,
  Webhook,
  WebhookList,
} from "@dbdepot/contract/v2/webhooks";
import type { LinkProps } from "@tanstack/react-router";
import { allItems, get, getItems, type ItemPage, list, send } from "../../app/api.ts";

/** The prefix of the query keys of everything about webhooks. */
export const WEBHOOKS_KEY = "webhooks";

/** The webhooks of one organization, and what can be done with them. */
export interface WebhookSource {
  queryKey: readonly string[];
  /** The organization whose webhooks an operator looks at. */
  organizationId?: string;
  list(): Promise<Webhook[]>;
  get(id: string): Promise<Webhook>;
  create(body: CreateWebhookRequest): Promise<IssuedWebhook>;
  update(id: string, body: UpdateWebhookRequest): Promise<unknown>;
  remove(id: string): Promise<unknown>;
  rotate(id: string): Promise<IssuedWebhook>;
  test(id: string): Promise<Delivery>;
  /** One page of deliveries: the first, or the one at `url`. */
  deliveries(id: string, url: string | undefined): Promise<ItemPage<Delivery>>;
  delivery(id: string, deliveryId: string): Promise<DeliveryDetails>;
  redeliver(id: string, deliveryId: string): Promise<Delivery>;
}

/** The webhooks of an admin's own organization. */
export const ownWebhooks: WebhookSource = {
  queryKey: [WEBHOOKS_KEY],
  list: async () => (await get<WebhookList>("/api/v2/webhooks")).webhooks,
  create: (body) => send("POST", "/api/v2/webhooks", body),
  ...actionsOf("/api/v2/webhooks"),
};

const operatorWebhooks = list<OperatorWebhook, WebhooksQuery>("/api/operator/webhooks", "webhooks");

/** The webhooks of any organization, for operators. */
export function webhooksOf(organizationId: string): WebhookSource {
  return {
    queryKey: [WEBHOOKS_KEY, organizationId],
    organizationId,
    list: () => allItems(operatorWebhooks, { org: organizationId }),
    create: (body) => send("POST", "/api/operator/webhooks", { ...body, org: organizationId }),
    ...actionsOf("/api/operator/webhooks"),
  };
}

/** Both APIs have the same endpoints for a single webhook. */
function actionsOf(base: string): Omit<WebhookSource, "queryKey" | "organizationId" | "list" | "create"> {
  return {
    get: (id) => get(`${base}/${id}`),
    update: (id, body) => send("PATCH", `${base}/${id}`, body),
    remove: (id) => send("DELETE", `${base}/${id}`),
    rotate: (id) => send("POST", `${base}/${id}/rotate`),
    test: (id) => send("POST", `${base}/${id}/test`),
    deliveries: (id, url) => getItems(url ?? `${base}/${id}/deliveries`, "deliveries"),
    delivery: (id, deliveryId) => get(`${base}/${id}/deliveries/${deliveryId}`),
    redeliver: (id, deliveryId) => send("POST", `${base}/${id}/deliveries/${deliveryId}/redeliver`),
  };
}

type Target = Pick<LinkProps, "to" | "params">;

/** The page with the deliveries of a webhook. */
export function deliveriesPage({ organizationId: id }: WebhookSource, webhook: string): Target {
  return id === undefined
    ? { to: "/webhooks/$webhook", params: { webhook } }
    : { to: "/organizations/$id/webhooks/$webhook", params: { id, webhook } };
}

/** The page about one delivery. */
export function deliveryPage({ organizationId: id }: WebhookSource, webhook: string, delivery: string): Target {
  return id === undefined
    ? { to: "/webhooks/$webhook/$delivery", params: { webhook, delivery } }
    : { to: "/organizations/$id/webhooks/$webhook/$delivery", params: { id, webhook, delivery } };
}
