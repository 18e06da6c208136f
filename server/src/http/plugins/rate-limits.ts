import type { FastifyReply } from "fastify";
import fastifyPlugin from "fastify-plugin";
import ipaddr from "ipaddr.js";
import { LruCache } from "../../cache/lru-cache.ts";
import type { RateLimit } from "../../settings.ts";
import { sendError } from "../errors.ts";

/** Beyond this many clients, those that were quiet longest are forgotten and start again with full buckets. */
const BUCKETS_MAX = 100_000;
/** An address gets this share of a key's limit for keys that do not resolve: guessing is slower than using a key. */
const UNRESOLVED_SHARE = 0.1;
const IPV6_NETWORK_BYTES = 8;

/**
 * Limits requests per key. Only requests whose key does not resolve are limited per address, so that they never lock out
 * a valid key from the same address. Does nothing if the limit is null.
 */
export const rateLimits = fastifyPlugin<{ rateLimit: RateLimit | null }>(async (app, { rateLimit }) => {
  if (!rateLimit) return;
  const keys = new TokenBuckets(rateLimit);
  const addresses = new TokenBuckets({
    perSecond: Math.max(1, rateLimit.perSecond * UNRESOLVED_SHARE),
    burst: Math.max(1, Math.ceil(rateLimit.burst * UNRESOLVED_SHARE)),
  });

  app.addHook("onRequest", (request, reply, done) => {
    const { route } = request.routeOptions.config;
    if (!route || route.scope === "public") return done();
    const keyId = (request.caller?.key ?? request.legacyKey)?.id ?? request.keyRefusal?.who.keyId;
    if (keyId && "isUnlimited" in route && route.isUnlimited) return done();
    const buckets = keyId ? keys : addresses;
    const waitSeconds = buckets.take(keyId ?? networkOf(request.clientAddress), request.arrived.getTime());
    if (waitSeconds > 0) sendLimited(reply, buckets.limit, waitSeconds);
    else done();
  });
});

/**
 * The IPv4 address or the IPv6 /64, which belongs to one customer. The text is short and new: a part of the header it came
 * from would keep the whole header in memory.
 */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return "invalid";
  const parsed = ipaddr.process(address);
  return parsed.toByteArray().slice(0, IPV6_NETWORK_BYTES).join(".");
}

function sendLimited(reply: FastifyReply, { perSecond, burst }: RateLimit, waitSeconds: number): FastifyReply {
  reply
    .header("retry-after", String(waitSeconds))
    .header("ratelimit-policy", `"default";q=${burst};w=${Math.max(1, Math.ceil(burst / perSecond))}`)
    .header("ratelimit", `"default";r=0;t=${waitSeconds}`);
  return sendError(reply, "RATE_LIMITED");
}

interface Bucket {
  tokens: number;
  filledMs: number;
}

/** A token bucket per client: `burst` requests at once, then `perSecond`. */
class TokenBuckets {
  readonly limit: RateLimit;
  readonly #buckets = new LruCache<string, Bucket>(BUCKETS_MAX);

  constructor(limit: RateLimit) {
    this.limit = limit;
  }

  /** Takes a token and returns 0, or returns the seconds until there is one. */
  take(client: string, nowMs: number): number {
    let bucket = this.#buckets.get(client);
    if (!bucket) {
      bucket = { tokens: this.limit.burst, filledMs: nowMs };
      this.#buckets.set(client, bucket);
    }
    const gained = (Math.max(0, nowMs - bucket.filledMs) / 1000) * this.limit.perSecond;
    bucket.tokens = Math.min(this.limit.burst, bucket.tokens + gained);
    bucket.filledMs = nowMs;
    if (bucket.tokens < 1) return Math.ceil((1 - bucket.tokens) / this.limit.perSecond);
    bucket.tokens -= 1;
    return 0;
  }
}
