import type { EventType } from "@dbdepot/contract/v2/events";
import type {
  DELIVERY_OUTCOMES,
  DELIVERY_TRIGGERS,
  DISABLED_REASONS,
  MessageType,
} from "@dbdepot/contract/v2/webhooks";
import type { EventPosition } from "../events/event.ts";
import type { HttpContent } from "./content.ts";
import type { WebhookSecret } from "./secret.ts";

export type DisabledReason = (typeof DISABLED_REASONS)[number];
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];
export type DeliveryTrigger = (typeof DELIVERY_TRIGGERS)[number];

/** One of an organization's URLs, to which events are sent in order. */
export interface Webhook {
  id: string;
  organizationId: string;
  url: string;
  description: string;
  /** Null: all types, including those added later. */
  eventTypes: readonly EventType[] | null;
  secret: WebhookSecret;
  /** After a rotation, requests are signed with the old secret too, until this time. */
  oldSecret: { secret: WebhookSecret; until: Date } | null;
  created: Date;
  disabled: { at: Date; reason: DisabledReason } | null;
  progress: Progress;
}

/** How far the events have been sent. */
export interface Progress {
  /** The last event that was delivered, abandoned or skipped. */
  position: EventPosition;
  /** Failed attempts to send the next event. */
  attempts: number;
  firstAttempt: Date | null;
  /** When to try again; null: as soon as there is an event. */
  nextAttempt: Date | null;
  /** The first failure after the last success. */
  failingSince: Date | null;
  lastDelivered: Date | null;
}

/** One request to a webhook: a row of the delivery log. */
export interface Delivery {
  id: string;
  webhookId: string;
  eventId: string;
  eventType: MessageType;
  /** 1 for the first attempt to send the event. */
  attempt: number;
  trigger: DeliveryTrigger;
  outcome: DeliveryOutcome;
  /** Status of the response; null if none arrived. */
  httpStatus: number | null;
  /** Why no response arrived. */
  error: string | null;
  durationMs: number;
  created: Date;
}

/** A delivery with what was sent and received. Both are null if an earlier version of the service sent it. */
export interface LoggedDelivery extends Delivery {
  request: HttpContent | null;
  /** Null if no response arrived. */
  response: HttpContent | null;
}
