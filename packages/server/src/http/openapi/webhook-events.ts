import { EVENT_TYPES, EVENTS, type EventType } from "@dbdepot/contract/v2/events";
import type { TSchema } from "typebox";
import { exampleOf } from "./example.ts";
import type { Operation, Parameter } from "./model.ts";
import type { NamedSchemas } from "./schemas.ts";

/** The headers of Standard Webhooks. */
const PARAMETERS: Parameter[] = [
  header("webhook-id", "The `id` of the event. It stays the same if the event is sent again."),
  header("webhook-timestamp", "When the request was sent, in seconds since 1970."),
  header(
    "webhook-signature",
    "`v1,` and the base64 HMAC-SHA256 of id, timestamp and body, joined by dots. Two of them, separated by a space, for 24 hours after a rotation of the secret.",
  ),
];

/** The requests that webhooks receive, by type of event. */
export function webhookEvents(schemas: NamedSchemas): Record<string, { post: Operation }> {
  return Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: operationOf(type, schemas) }]));
}

function operationOf(type: EventType, schemas: NamedSchemas): Operation {
  const schema: TSchema & { title?: string; description?: string } = EVENTS[type];
  const { title = "", description = "" } = schema;
  return {
    operationId: `on${title.replace(/Event$/, "")}`,
    tags: ["Webhooks"],
    summary: `Receive ${type}`,
    description: `${description} Sent to your webhooks that have this type of event.`,
    security: [],
    parameters: PARAMETERS,
    requestBody: {
      required: true,
      description,
      content: {
        "application/json": {
          schema: schemas.write(schema),
          examples: { request: { summary: description, value: exampleOf(schema) } },
        },
      },
    },
    responses: {
      "2XX": { description: "You received the event. Respond within 10 seconds.", headers: {} },
      "410": { description: "You want no more events. The webhook is disabled.", headers: {} },
      default: { description: "The event is sent again, for up to 24 hours.", headers: {} },
    },
  };
}

function header(name: string, description: string): Parameter {
  return { name, in: "header", required: true, description, schema: { type: "string" } };
}
