import type { FastifyReply, FastifyRequest } from "fastify";
import fastifyPlugin from "fastify-plugin";
import type { Metrics } from "../../adapters/monitoring/metrics.ts";
import type { Register } from "../../register/register.ts";
import { sendError } from "../errors.ts";
import { NetworkBuckets, type RateLimit, TokenBuckets } from "../token-buckets.ts";

/** An address gets this share of a key's limit for keys that do not resolve: guessing is slower than using a key. */
const UNRESOLVED_SHARE = 0.1;

interface RateLimitOptions {
  /** Null: keys are not limited. */
  rateLimit: RateLimit | null;
  register: Pick<Register, "limits">;
  metrics: Metrics;
}

/**
 * Limits requests per key and per account, and those of all keys of an organization if it has a limit of its own. Only
 * requests whose key does not resolve are limited per address, so that they never lock out a valid key from the same
 * address.
 */
export const rateLimits = fastifyPlugin<RateLimitOptions>(async (app, { rateLimit, register, metrics }) => {
  const takeOwn = rateLimit && limitClients(rateLimit);
  // Every organization has its own limit instead of this one.
  const organizations = new TokenBuckets({ perSecond: 1, burst: 60 });

  app.addHook("onRequest", (request, reply, done) => {
    const { route } = request;
    if (!route || route.scope === "public") return done();
    const clientId = clientIdOf(request);
    if (clientId && "isPolled" in route && route.isPolled && !isPinned(request)) return done();
    const limited = takeOwn?.(request, clientId) ?? takeOfOrganization(request);
    if (limited) sendLimited(reply, limited.waitSeconds, limited.limit);
    else done();
  });

  function takeOfOrganization(request: FastifyRequest): Limited | undefined {
    const organizationId = organizationIdOf(request);
    const perMinute = organizationId && register.limits(organizationId)?.requests_per_minute;
    if (!perMinute) return undefined;
    const limit = { perSecond: perMinute / 60, burst: perMinute };
    const waitSeconds = organizations.take(organizationId, request.arrived.getTime(), limit);
    if (waitSeconds === 0) return undefined;
    metrics.limitRefusals.inc({ limit: "requests_per_minute" });
    return { waitSeconds, limit };
  }
});

interface Limited {
  waitSeconds: number;
  limit: RateLimit;
}

/** Limits keys, accounts and addresses. */
function limitClients(rateLimit: RateLimit) {
  const clients = new TokenBuckets(rateLimit);
  const addresses = new NetworkBuckets({
    perSecond: Math.max(1, rateLimit.perSecond * UNRESOLVED_SHARE),
    burst: Math.max(1, Math.ceil(rateLimit.burst * UNRESOLVED_SHARE)),
  });
  return (request: FastifyRequest, clientId: string | null | undefined): Limited | undefined => {
    const nowMs = request.arrived.getTime();
    const waitSeconds = clientId ? clients.take(clientId, nowMs) : addresses.take(request.clientAddress, nowMs);
    return waitSeconds > 0 ? { waitSeconds, limit: clientId ? clients.limit : addresses.limit } : undefined;
  };
}

function isPinned({ query }: FastifyRequest): boolean {
  const { build, sequence } = query as Record<string, unknown>;
  return build !== undefined || sequence !== undefined;
}

/** The id of the key, or of the account of a person who is signed in. */
function clientIdOf({ caller, legacyKey, keyRefusal }: FastifyRequest): string | null | undefined {
  if (caller) return "key" in caller ? caller.key.id : caller.account.id;
  return legacyKey?.id ?? keyRefusal?.requester.keyId;
}

/**
 * The organization of an accepted key. People in the console and refused keys do not use up what is meant for programs:
 * otherwise an old key that someone forgot would lock out all others.
 */
function organizationIdOf({ caller, legacyKey }: FastifyRequest): string | null | undefined {
  return caller && "key" in caller ? caller.key.organizationId : legacyKey?.organizationId;
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
