import type { Operation } from "../../server/src/domain/store.ts";
import type { LoggedDelivery } from "../../server/src/domain/webhooks/webhook.ts";
import { createWebhook } from "../../server/src/domain/webhooks/webhooks.ts";
import { newId } from "../../server/src/platform/primitives/ids.ts";

type Result = Pick<LoggedDelivery, "eventType" | "attempt" | "trigger" | "outcome" | "httpStatus" | "error">;

const RESULTS: Result[] = [
  { eventType: "webhook.test", attempt: 1, trigger: "test", outcome: "delivered", httpStatus: 204, error: null },
  {
    eventType: "build.published",
    attempt: 1,
    trigger: "event",
    outcome: "failed",
    httpStatus: null,
    error: "no response within 10 s",
  },
  { eventType: "build.published", attempt: 2, trigger: "event", outcome: "failed", httpStatus: 503, error: null },
  { eventType: "build.published", attempt: 3, trigger: "event", outcome: "delivered", httpStatus: 204, error: null },
  { eventType: "build.withdrawn", attempt: 1, trigger: "event", outcome: "delivered", httpStatus: 204, error: null },
];

/** A webhook with a few deliveries. */
export async function addExampleWebhook(operation: Operation, organizationId: string): Promise<void> {
  const webhook = await createWebhook(operation, async () => ({ id: organizationId }), {
    url: "https://hooks.example.com/dbdepot",
    description: "nightly import",
    eventTypes: ["build.published", "build.withdrawn", "licence.ending"],
  });
  const eventId = newId(operation.now);
  for (const result of RESULTS) {
    await operation.store.webhooks.addDelivery({
      ...result,
      id: newId(operation.now),
      webhookId: webhook.id,
      eventId,
      durationMs: result.httpStatus === null ? 10_000 : 84,
      created: operation.now,
      ...contentsOf(result, eventId),
    });
  }
}

function contentsOf({ eventType, httpStatus }: Result, eventId: string): Pick<LoggedDelivery, "request" | "response"> {
  const body = JSON.stringify({ id: eventId, type: eventType, data: { id: "vpn_ip_v1" } });
  const headers = { host: "hooks.example.com", "webhook-id": eventId, "webhook-signature": "v1,Zm9y" };
  const isBusy = httpStatus === 503;
  return {
    request: { headers, body, isCut: false },
    response:
      httpStatus === null
        ? null
        : { headers: { server: "nginx" }, body: isBusy ? "Too many connections" : "", isCut: false },
  };
}
