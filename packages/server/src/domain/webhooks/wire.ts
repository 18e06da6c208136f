import type { OperatorWebhook } from "@dbdepot/contract/operator/webhooks";
import type * as wire from "@dbdepot/contract/v2/webhooks";
import type { HttpContent } from "./content.ts";
import type { Delivery, LoggedDelivery, Webhook } from "./webhook.ts";
import type { WebhookChanges } from "./webhooks.ts";

export function webhookToWire(webhook: Webhook): wire.Webhook {
  const { disabled, oldSecret, progress } = webhook;
  return {
    id: webhook.id,
    url: webhook.url,
    description: webhook.description,
    event_types: webhook.eventTypes && [...webhook.eventTypes],
    enabled: disabled === null,
    disabled: disabled?.at.toISOString() ?? null,
    disabled_reason: disabled?.reason ?? null,
    old_secret_until: oldSecret?.until.toISOString() ?? null,
    failing_since: progress.failingSince?.toISOString() ?? null,
    next_attempt: progress.nextAttempt?.toISOString() ?? null,
    last_delivered: progress.lastDelivered?.toISOString() ?? null,
    created: webhook.created.toISOString(),
  };
}

/** Used only for the responses that issue the secret. */
export function issuedWebhookToWire(webhook: Webhook): wire.IssuedWebhook {
  return { ...webhookToWire(webhook), secret: webhook.secret.reveal() };
}

export function webhookToOperatorWire(webhook: Webhook): OperatorWebhook {
  return { ...webhookToWire(webhook), organization_id: webhook.organizationId };
}

export function deliveryToWire(delivery: Delivery): wire.Delivery {
  return {
    id: delivery.id,
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    attempt: delivery.attempt,
    trigger: delivery.trigger,
    outcome: delivery.outcome,
    http_status: delivery.httpStatus,
    error: delivery.error,
    duration_ms: delivery.durationMs,
    created: delivery.created.toISOString(),
  };
}

export function deliveryDetailsToWire(delivery: LoggedDelivery): wire.DeliveryDetails {
  const { request, response } = delivery;
  return {
    ...deliveryToWire(delivery),
    request: request && contentToWire(request),
    response: response && contentToWire(response),
  };
}

function contentToWire({ headers, body, isCut }: HttpContent): wire.DeliveryContents {
  return { headers, body, truncated: isCut };
}

/** Fields that the request omits are not changed. */
export function webhookChangesFromWire(request: wire.UpdateWebhookRequest): WebhookChanges {
  const { url, description, event_types: eventTypes, enabled: isEnabled } = request;
  return { url, description, eventTypes, isEnabled };
}
