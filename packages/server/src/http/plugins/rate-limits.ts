import type { FastifyReply, FastifyRequest } from "fastify";
import fastifyPlugin from "fastify-plugin";
import { sendError } from "../errors.ts";
import { networkOf, type RateLimit, TokenBuckets } from "../token-buckets.ts";

/** An address gets this share of a key's limit for keys that do not resolve: guessing is slower than using a key. */
const UNRESOLVED_SHARE = 0.1;

/**
 * Limits requests per key and per account. Only requests whose key does not resolve are limited per address, so that they never lock out
 * a valid key from the same address. Does nothing if the limit is null.
 */
export const rateLimits = fastifyPlugin<{ rateLimit: RateLimit | null }>(async (app, { rateLimit }) => {
  if (!rateLimit) return;
  const clients = new TokenBuckets(rateLimit);
  const addresses = new TokenBuckets({
    perSecond: Math.max(1, rateLimit.perSecond * UNRESOLVED_SHARE),
    burst: Math.max(1, Math.ceil(rateLimit.burst * UNRESOLVED_SHARE)),
  });

  app.addHook("onRequest", (request, reply, done) => {
    const { route } = request;
    if (!route || route.scope === "public") return done();
    const clientId = clientIdOf(request);
    if (clientId && "isPolled" in route && route.isPolled && !isPinned(request)) return done();
    const buckets = clientId ? clients : addresses;
    const waitSeconds = buckets.take(clientId ?? networkOf(request.clientAddress), request.arrived.getTime());
    if (waitSeconds > 0) sendLimited(reply, waitSeconds, buckets.limit);
    else done();
  });
});

function isPinned({ query }: FastifyRequest): boolean {
  const { build, sequence } = query as Record<string, unknown>;
  return build !== undefined || sequence !== undefined;
}

/** The id of the key, or of the account of a person who is signed in. */
function clientIdOf({ caller, legacyKey, keyRefusal }: FastifyRequest): string | null | undefined {
  if (caller) return "key" in caller ? caller.key.id : caller.account.id;
  return legacyKey?.id ?? keyRefusal?.requester.keyId;
}

export function sendLimited(reply: FastifyReply, waitSeconds: number, limit?: RateLimit): FastifyReply {
  reply.header("retry-after", String(waitSeconds));
  if (limit) {
    const { perSecond, burst } = limit;
    reply
      .header("ratelimit-policy", `"default";q=${burst};w=${Math.max(1, Math.ceil(burst / perSecond))}`)
      .header("ratelimit", `"default";r=0;t=${waitSeconds}`);
  }
  return sendError(reply, "RATE_LIMITED");
}
