import { type MessageType, TEST_EVENT_TYPE } from "@dbdepot/contract/v2/webhooks";
import { newId } from "../../platform/primitives/ids.ts";
import type { Event } from "../events/event.ts";
import { eventToWire } from "../events/wire.ts";
import type { WebhookRequest } from "./sender.ts";
import type { Webhook } from "./webhook.ts";

/** The request that is sent. It is the same in every attempt. */
export interface Message {
  id: string;
  type: MessageType;
  body: string;
}

export function eventMessage(event: Event): Message {
  return { id: event.id, type: event.type, body: JSON.stringify(eventToWire(event)) };
}

export function testMessage(now: Date): Message {
  const id = newId(now);
  const data = { message: "If you can read this and its signature is valid, your webhook works." };
  return {
    id,
    type: TEST_EVENT_TYPE,
    body: JSON.stringify({ id, type: TEST_EVENT_TYPE, timestamp: now.toISOString(), data }),
  };
}

/** Adds the headers of https://www.standardwebhooks.com, with a signature by each secret that is valid. */
export function requestOf({ url, secret, oldSecret }: Webhook, { id, body }: Message, now: Date): WebhookRequest {
  const timestamp = Math.floor(now.getTime() / 1000);
  const secrets = oldSecret && now < oldSecret.until ? [secret, oldSecret.secret] : [secret];
  return {
    url,
    headers: {
      "webhook-id": id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": secrets.map((each) => each.sign(id, timestamp, body)).join(" "),
    },
    body,
  };
}
