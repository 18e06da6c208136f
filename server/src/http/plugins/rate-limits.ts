import type { FastifyReply } from "fastify";
import fastifyPlugin from "fastify-plugin";
import { BoundedCache } from "../../register/bounded-cache.ts";
import type { RateLimit } from "../../settings.ts";
import { sendError } from "../errors.ts";

/** Beyond this many clients, those that were quiet longest are forgotten and start again with full buckets. */
const BUCKETS_MAX = 100_000;
/** The share of the key's limit that an address has for refused keys: guessing is slower than using a key. */
const REFUSED_SHARE = 0.1;

/** Limits requests per key, and refused keys per address. Does nothing if the limit is null. */
export const rateLimits = fastifyPlugin<{ rateLimit: RateLimit | null }>(async (app, { rateLimit }) => {
  if (!rateLimit) return;
  const keys = new TokenBuckets(rateLimit);
  const refusals = new TokenBuckets({
    perSecond: Math.max(1, rateLimit.perSecond * REFUSED_SHARE),
    burst: Math.max(1, Math.ceil(rateLimit.burst * REFUSED_SHARE)),
  });

  app.addHook("onRequest", async (request, reply) => {
    const { route } = request.routeOptions.config;
    if (!route || route.scope === "public") return;
    const nowMs = request.arrived.getTime();
    const refusedWait = refusals.waitSeconds(request.clientAddress, nowMs);
    if (refusedWait > 0) return refusals.sendLimited(reply, refusedWait);
    if (request.keyRefusal) {
      refusals.take(request.clientAddress, nowMs);
      return;
    }
    const key = request.caller?.key ?? request.legacyKey;
    if (!key || ("isUnlimited" in route && route.isUnlimited)) return;
    const wait = keys.waitSeconds(key.id, nowMs);
    if (wait > 0) return keys.sendLimited(reply, wait);
    keys.take(key.id, nowMs);
  });
});

interface Bucket {
  tokens: number;
  filledMs: number;
}

/** A token bucket per client: `burst` requests at once, then `perSecond`. */
class TokenBuckets {
  readonly #limit: RateLimit;
  readonly #buckets = new BoundedCache<string, Bucket>(BUCKETS_MAX);

  constructor(limit: RateLimit) {
    this.#limit = limit;
  }

  /** 0 if a token is available. */
  waitSeconds(client: string, nowMs: number): number {
    const bucket = this.#buckets.get(client);
    if (!bucket) return 0;
    this.#refill(bucket, nowMs);
    return bucket.tokens >= 1 ? 0 : Math.ceil((1 - bucket.tokens) / this.#limit.perSecond);
  }

  take(client: string, nowMs: number): void {
    let bucket = this.#buckets.get(client);
    if (!bucket) {
      bucket = { tokens: this.#limit.burst, filledMs: nowMs };
      this.#buckets.set(client, bucket);
    }
    this.#refill(bucket, nowMs);
    bucket.tokens -= 1;
  }

  sendLimited(reply: FastifyReply, waitSeconds: number): FastifyReply {
    const { perSecond, burst } = this.#limit;
    reply
      .header("retry-after", String(waitSeconds))
      .header("ratelimit-policy", `"default";q=${burst};w=${Math.max(1, Math.ceil(burst / perSecond))}`)
      .header("ratelimit", `"default";r=0;t=${waitSeconds}`);
    return sendError(reply, "RATE_LIMITED");
  }

  #refill(bucket: Bucket, nowMs: number): void {
    const gained = (Math.max(0, nowMs - bucket.filledMs) / 1000) * this.#limit.perSecond;
    bucket.tokens = Math.min(this.#limit.burst, bucket.tokens + gained);
    bucket.filledMs = nowMs;
  }
}
