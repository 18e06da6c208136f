import type { Delivery, DeliveryDetails, IssuedWebhook, Webhook } from "@dbdepot/contract/v2/webhooks";
import type { NotesByRoute } from "./notes.ts";

const pathParameters = { id: "The webhook's `id`.", delivery: "The delivery's `id`." };

const webhook: Webhook = {
  id: "019a8c40-11b7-7c52-9f3a-6d0e2b4c8a15",
  url: "https://hooks.example.com/dbdepot",
  description: "nightly import",
  event_types: ["build.published", "build.withdrawn"],
  enabled: true,
  disabled: null,
  disabled_reason: null,
  old_secret_until: null,
  failing_since: null,
  next_attempt: null,
  last_delivered: "2026-11-02T04:00:01.118Z",
  created: "2026-10-01T09:30:00.000Z",
};

/** The secret is deliberately invalid. */
const issued: IssuedWebhook = { ...webhook, secret: "whsec_..." };

const delivery: Delivery = {
  id: "019a8f3e-81aa-7e01-8d24-90b1c2d3e4f5",
  event_id: "019a8f3e-7c52-7d10-9b1e-2f6a4c8d0e11",
  event_type: "build.published",
  attempt: 1,
  trigger: "event",
  outcome: "delivered",
  http_status: 204,
  error: null,
  duration_ms: 84,
  created: "2026-11-02T04:00:01.034Z",
};

const test: Delivery = { ...delivery, event_type: "webhook.test", trigger: "test" };
const again: Delivery = { ...delivery, attempt: 2, trigger: "redelivery" };
const details: DeliveryDetails = {
  ...delivery,
  request: {
    headers: {
      host: "hooks.example.com",
      "webhook-id": delivery.event_id,
      "webhook-timestamp": "1793592001",
      "webhook-signature": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
      "content-type": "application/json",
    },
    body: `{"id":"${delivery.event_id}","type":"build.published","timestamp":"2026-11-02T04:00:00.530Z","data":{}}`,
    truncated: false,
  },
  response: { headers: { server: "nginx" }, body: "", truncated: false },
};
const create = { url: webhook.url, description: webhook.description, event_types: webhook.event_types };

export const WEBHOOK_NOTES: NotesByRoute = {
  "GET /api/v2/webhooks": {
    operationId: "listWebhooks",
    tag: "Webhooks",
    curl: curl("GET", ""),
    responses: { 200: { description: "The webhooks.", example: { webhooks: [webhook] } } },
  },
  "POST /api/v2/webhooks": {
    operationId: "createWebhook",
    tag: "Webhooks",
    curl: curl("POST", "", create),
    request: { description: "Where to send which events.", example: create },
    responses: { 200: { description: "The webhook with its secret.", example: issued } },
  },
  "GET /api/v2/webhooks/:id": {
    operationId: "getWebhook",
    tag: "Webhooks",
    curl: curl("GET", "/$WEBHOOK_ID"),
    pathParameters,
    responses: { 200: { description: "The webhook.", example: webhook } },
  },
  "PATCH /api/v2/webhooks/:id": {
    operationId: "updateWebhook",
    tag: "Webhooks",
    curl: curl("PATCH", "/$WEBHOOK_ID", { event_types: null }),
    pathParameters,
    request: { description: "Fields to change.", example: { event_types: null } },
    responses: { 200: { description: "The webhook after the change.", example: { ...webhook, event_types: null } } },
  },
  "DELETE /api/v2/webhooks/:id": {
    operationId: "deleteWebhook",
    tag: "Webhooks",
    curl: curl("DELETE", "/$WEBHOOK_ID"),
    pathParameters,
    responses: { 204: { description: "The webhook was deleted." } },
  },
  "POST /api/v2/webhooks/:id/rotate": {
    operationId: "rotateWebhook",
    tag: "Webhooks",
    curl: curl("POST", "/$WEBHOOK_ID/rotate"),
    pathParameters,
    responses: {
      200: {
        description: "The webhook with its new secret.",
        example: { ...issued, old_secret_until: "2026-11-03T09:00:00.000Z" },
      },
    },
  },
  "POST /api/v2/webhooks/:id/test": {
    operationId: "testWebhook",
    tag: "Webhooks",
    curl: curl("POST", "/$WEBHOOK_ID/test"),
    pathParameters,
    responses: { 200: { description: "How the receiver responded.", example: test } },
  },
  "GET /api/v2/webhooks/:id/deliveries": {
    operationId: "listDeliveries",
    tag: "Webhooks",
    curl: curl("GET", "/$WEBHOOK_ID/deliveries"),
    pathParameters,
    responses: { 200: { description: "The deliveries.", headers: ["Link"], example: { deliveries: [delivery] } } },
  },
  "GET /api/v2/webhooks/:id/deliveries/:delivery": {
    operationId: "getDelivery",
    tag: "Webhooks",
    curl: curl("GET", "/$WEBHOOK_ID/deliveries/$DELIVERY_ID"),
    pathParameters,
    responses: { 200: { description: "The delivery.", example: details } },
  },
  "POST /api/v2/webhooks/:id/deliveries/:delivery/redeliver": {
    operationId: "redeliver",
    tag: "Webhooks",
    curl: curl("POST", "/$WEBHOOK_ID/deliveries/$DELIVERY_ID/redeliver"),
    pathParameters,
    responses: { 200: { description: "How the receiver responded.", example: again } },
  },
};

function curl(method: string, path: string, body?: object): string {
  const verb = method === "GET" ? "" : ` -X ${method}`;
  const data = body ? ` \\\n  -H "Content-Type: application/json" \\\n  -d '${JSON.stringify(body)}'` : "";
  return `curl -fsS${verb} -H "Authorization: Bearer $DBDEPOT_CLIENT_ADMIN_KEY"${data} \\\n  "$DBDEPOT_CLIENT_URL/api/v2/webhooks${path}"`;
}
