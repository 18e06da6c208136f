import type { FastifyReply } from "fastify";
import { sendLimited } from "../plugins/rate-limits.ts";
import type { KeyContext } from "../route.ts";

/** Tests and redeliveries per organization: enough to try things out, but no way to flood a receiver. */
export const WEBHOOK_REQUESTS = { perSecond: 1 / 6, burst: 20 };

/** Counts a test or redelivery of an organization. Returns the response if it has requested too many. */
export function limitRequests({ services, reply, now }: KeyContext, organizationId: string): FastifyReply | undefined {
  const wait = services.webhooks.requests.take(organizationId, now.getTime());
  return wait > 0 ? sendLimited(reply, wait, services.webhooks.requests.limit) : undefined;
}
