import Type, { type Static } from "typebox";
import { closedObject } from "../shared/closed-object.ts";
import { EVENT_TYPES, type EventType } from "./events.ts";

export const WEBHOOK_URL_MAX_LENGTH = 2000;
export const WEBHOOK_DESCRIPTION_MAX_LENGTH = 200;
export const WEBHOOKS_PER_ORGANIZATION = 20;

export const TEST_EVENT_TYPE = "webhook.test";
export type MessageType = EventType | typeof TEST_EVENT_TYPE;

export const DISABLED_REASONS = ["manual", "failing", "gone"] as const;
export const DELIVERY_OUTCOMES = ["delivered", "failed", "given_up"] as const;
export const DELIVERY_TRIGGERS = ["event", "test", "redelivery"] as const;

const Url = Type.String({
  minLength: 1,
  maxLength: WEBHOOK_URL_MAX_LENGTH,
  description: "Where events are sent, an `https://` URL.",
  examples: ["https://hooks.example.com/dbdepot"],
});
const Description = Type.String({
  maxLength: WEBHOOK_DESCRIPTION_MAX_LENGTH,
  description: `A line of text about what the webhook is for, up to ${WEBHOOK_DESCRIPTION_MAX_LENGTH} characters.`,
});
export const EventTypeName = Type.Enum([...EVENT_TYPES], { title: "EventType", description: "An event type." });
const Types = Type.Array(EventTypeName, { minItems: 1, maxItems: EVENT_TYPES.length });
const EventTypes = Type.Union([Types, Type.Null()], {
  description: "The types of events to send, or null for all, including types added later.",
});
const TimeOrNull = Type.Union([Type.String({ format: "date-time" }), Type.Null()]);
const Secret = Type.String({
  description: "The secret that requests are signed with. It is returned only in this response, so store it now.",
  examples: ["whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"],
});

export const CreateWebhookRequest = closedObject("CreateWebhookRequest", "The webhook to create.", {
  url: Url,
  description: Type.Optional(Description),
  event_types: Type.Optional(EventTypes),
});
export type CreateWebhookRequest = Static<typeof CreateWebhookRequest>;

export const UpdateWebhookRequest = Type.Object(
  {
    url: Type.Optional(Url),
    description: Type.Optional(Description),
    event_types: Type.Optional(EventTypes),
    enabled: Type.Optional(
      Type.Boolean({
        description: "Whether events are sent. A webhook that is enabled again gets the events from then on.",
      }),
    ),
  },
  {
    title: "UpdateWebhookRequest",
    additionalProperties: false,
    minProperties: 1,
    description: "Fields to change. Omitted fields keep their values.",
  },
);
export type UpdateWebhookRequest = Static<typeof UpdateWebhookRequest>;

export const Webhook = closedObject("Webhook", "One of your organization's webhooks.", {
  id: Type.String({ format: "uuid", description: "Identifies the webhook." }),
  url: Type.String({ description: "Where events are sent." }),
  description: Type.String({ description: "What the webhook is for." }),
  event_types: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: "The types of events that are sent, or null for all.",
  }),
  enabled: Type.Boolean({ description: "Whether events are sent." }),
  disabled: Type.Union(TimeOrNull.anyOf, { description: "When it was disabled, or null." }),
  disabled_reason: Type.Union([Type.Enum([...DISABLED_REASONS]), Type.Null()], {
    description:
      "`manual`: a person or program disabled it. `failing`: no request succeeded for a week. `gone`: the receiver responded with 410. Null if it is enabled.",
  }),
  old_secret_until: Type.Union(TimeOrNull.anyOf, {
    description: "After a rotation, until when requests are signed with the old secret too, or null.",
  }),
  failing_since: Type.Union(TimeOrNull.anyOf, {
    description: "The first failed request since the last success, or null if the last request succeeded.",
  }),
  next_attempt: Type.Union(TimeOrNull.anyOf, {
    description: "When a failed event is sent again, or null if no event has failed.",
  }),
  last_delivered: Type.Union(TimeOrNull.anyOf, { description: "When an event was last delivered, or null." }),
  created: Type.String({ format: "date-time", description: "When the webhook was created." }),
});
export type Webhook = Static<typeof Webhook>;

export const WebhookList = closedObject("WebhookList", "Your organization's webhooks.", {
  webhooks: Type.Array(Webhook, { description: "Newest first." }),
});
export type WebhookList = Static<typeof WebhookList>;

export const IssuedWebhook = closedObject("IssuedWebhook", "A webhook with its new secret.", {
  ...Webhook.properties,
  secret: Secret,
});
export type IssuedWebhook = Static<typeof IssuedWebhook>;

export const Delivery = closedObject("Delivery", "One request to a webhook.", {
  id: Type.String({ format: "uuid", description: "Identifies the request." }),
  event_id: Type.String({
    format: "uuid",
    description: "The event that was sent: the `webhook-id` header of the request.",
  }),
  event_type: Type.String({ description: "Its type.", examples: ["build.published"] }),
  attempt: Type.Integer({ minimum: 1, description: "1 for the first attempt to send the event." }),
  trigger: Type.Enum([...DELIVERY_TRIGGERS], { description: "Why the request was sent." }),
  outcome: Type.Enum([...DELIVERY_OUTCOMES], {
    description:
      "`delivered`: the response was 2xx. `failed`: it was not. `given_up`: it was not, and the event is not sent again.",
  }),
  http_status: Type.Union([Type.Integer(), Type.Null()], {
    description: "The status of the response, or null if none arrived.",
  }),
  error: Type.Union([Type.String(), Type.Null()], { description: "Why no response arrived, or null." }),
  duration_ms: Type.Integer({ minimum: 0, description: "How long the request took, in milliseconds." }),
  created: Type.String({ format: "date-time", description: "When the request was sent." }),
});
export type Delivery = Static<typeof Delivery>;

const Headers = Type.Record(Type.String(), Type.String(), {
  description: "The headers by name, in lower case. Cookies are not kept.",
});
const Body = Type.String({ description: "The body as text." });
const Truncated = Type.Boolean({
  description: "Whether only the first 16 KiB of the body are kept.",
});
const contents = { headers: Headers, body: Body, truncated: Truncated };

const SentRequest = closedObject("SentRequest", "What was sent.", contents);
const ReceivedResponse = closedObject("ReceivedResponse", "What the receiver responded.", contents);

export const DeliveryDetails = closedObject(
  "DeliveryDetails",
  "One request to a webhook, with what was sent and received.",
  {
    ...Delivery.properties,
    request: Type.Union([SentRequest, Type.Null()], {
      description: "What was sent, or null if an earlier version of the service sent it.",
    }),
    response: Type.Union([ReceivedResponse, Type.Null()], {
      description:
        "What the receiver responded, or null if no response arrived or an earlier version sent the request.",
    }),
  },
);
export type DeliveryDetails = Static<typeof DeliveryDetails>;
export type DeliveryContents = Static<typeof SentRequest>;

export const DELIVERIES_LIMIT = { minimum: 1, default: 50, maximum: 200 } as const;

export const DeliveriesQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ ...DELIVERIES_LIMIT, description: "Page size." })),
  cursor: Type.Optional(
    Type.String({ maxLength: 2000, description: "Start of the next page, taken from the `Link` header." }),
  ),
});
export type DeliveriesQuery = Static<typeof DeliveriesQuery>;

export const DeliveryList = closedObject("DeliveryList", "One page of the requests to a webhook.", {
  deliveries: Type.Array(Delivery, { description: "Newest first, for 30 days." }),
});
export type DeliveryList = Static<typeof DeliveryList>;
