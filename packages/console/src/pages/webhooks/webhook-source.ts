import type {
  CreateWebhookRequest,
  Delivery,
  DeliveryDetails,
  IssuedWebhook,
  UpdateWebhookRequest,
  Webhook,
} from "@dbdepot/contract/v2/webhooks";
import type { LinkProps } from "@tanstack/react-router";
import { allItems, api, type ItemPage } from "../../app/api.ts";

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
  list: async () => (await api.webhooks()).webhooks,
  create: api.createWebhook,
  ...actionsOf("/api/v2/webhooks"),
};

/** The webhooks of any organization, for operators. */
export function webhooksOf(organizationId: string): WebhookSource {
  return {
    queryKey: [WEBHOOKS_KEY, organizationId],
    organizationId,
    list: () => allItems(api.operatorWebhooks, { org: organizationId }),
    create: (body) => api.createOperatorWebhook({ ...body, org: organizationId }),
    ...actionsOf("/api/operator/webhooks"),
  };
}

/** Both APIs have the same endpoints for a single webhook. */
function actionsOf(base: string) {
  return {
    get: (id: string) => api.webhook(`${base}/${id}`),
    update: (id: string, body: UpdateWebhookRequest) => api.updateWebhook(`${base}/${id}`, body),
    remove: (id: string) => api.deleteWebhook(`${base}/${id}`),
    rotate: (id: string) => api.rotateWebhook(`${base}/${id}`),
    test: (id: string) => api.testWebhook(`${base}/${id}`),
    deliveries: (id: string, url: string | undefined) => api.deliveries(url ?? `${base}/${id}/deliveries`),
    delivery: (id: string, deliveryId: string) => api.delivery(`${base}/${id}`, deliveryId),
    redeliver: (id: string, deliveryId: string) => api.redeliver(`${base}/${id}`, deliveryId),
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
