import { notFound } from "../../platform/primitives/faults.ts";
import { isUuid, newId } from "../../platform/primitives/ids.ts";
import { type Holding, isFor } from "../licences/audience.ts";
import type { Store } from "../store.ts";
import { eventMessage, type Message, requestOf, testMessage } from "./message.ts";
import type { Sender } from "./sender.ts";
import type { DeliveryTrigger, LoggedDelivery, Webhook } from "./webhook.ts";

/** Sends a message once and returns the row for the log. */
export async function deliver(
  sender: Sender,
  webhook: Webhook,
  message: Message,
  { now, attempt, trigger }: { now: Date; attempt: number; trigger: DeliveryTrigger },
): Promise<LoggedDelivery> {
  const result = await sender.send(requestOf(webhook, message, now));
  const isDelivered = result.httpStatus !== null && result.httpStatus >= 200 && result.httpStatus < 300;
  return {
    id: newId(now),
    webhookId: webhook.id,
    eventId: message.id,
    eventType: message.type,
    attempt,
    trigger,
    outcome: isDelivered ? "delivered" : "failed",
    ...result,
    created: now,
  };
}

/** Dependencies of a request that is sent immediately. */
interface Request {
  store: Store;
  sender: Sender;
  now: Date;
}

/** Sends a test event and waits for the response. */
export async function sendTest(request: Request, webhook: Webhook): Promise<LoggedDelivery> {
  return sendNow(request, webhook, testMessage(request.now), 1, "test");
}

/** Sends the event of an earlier delivery again, out of order, and waits for the response. */
export async function redeliver(request: Request, webhook: Webhook, deliveryId: string): Promise<LoggedDelivery> {
  const { store, now } = request;
  const earlier = await requireDelivery(store, webhook, deliveryId);
  const event = await store.events.byId(earlier.eventId);
  if (!event || !isFor(event, webhook.organizationId, await holdingOf(store, webhook, event.base), now)) {
    throw notFound("the event of this delivery is no longer available: tests and old events cannot be sent again");
  }
  return sendNow(request, webhook, eventMessage(event), earlier.attempt + 1, "redelivery");
}

export async function requireDelivery(
  { webhooks }: Pick<Store, "webhooks">,
  webhook: Webhook,
  id: string,
): Promise<LoggedDelivery> {
  const delivery = isUuid(id) ? await webhooks.delivery(webhook.id, id.toLowerCase()) : undefined;
  if (!delivery) throw notFound("there is no such delivery");
  return delivery;
}

async function sendNow(
  { store, sender, now }: Request,
  webhook: Webhook,
  message: Message,
  attempt: number,
  trigger: DeliveryTrigger,
): Promise<LoggedDelivery> {
  const delivery = await deliver(sender, webhook, message, { now, attempt, trigger });
  await store.webhooks.addDelivery(delivery);
  // The receiver works again, so waiting events are sent without further delay.
  if (delivery.outcome === "delivered" && webhook.progress.failingSince) await store.webhooks.restart(webhook.id);
  return delivery;
}

async function holdingOf(
  { families, licences }: Pick<Store, "families" | "licences">,
  { organizationId }: Webhook,
  base: string | null,
): Promise<Holding | undefined> {
  const family = base === null ? undefined : await families.byBase(base);
  return family && { family, licences: await licences.list({ organizationId, base: family.base }) };
}
