import { BoundedCache } from "../register/bounded-cache.ts";
import type { RateLimit } from "../settings.ts";
import { sendError } from "./errors.ts";
import type { Reply } from "./reply.ts";

/** More visitors than this at once, and the quietest are forgotten, with full buckets. */
const BUCKETS_MAX = 100_000;

interface Bucket {
  tokens: number;
  filledMs: number;
}

/** Token buckets, one a visitor: `burst` requests at once, then `perSecond`. */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #buckets = new BoundedCache<string, Bucket>(BUCKETS_MAX);

  constructor(limit: RateLimit) {
    this.#limit = limit;
  }

  /** 0 when a token is there to be taken. */
  waitSeconds(visitor: string, nowMs: number): number {
    const bucket = this.#buckets.get(visitor);
    if (!bucket) return 0;
    this.#fill(bucket, nowMs);
    return bucket.tokens >= 1 ? 0 : Math.ceil((1 - bucket.tokens) / this.#limit.perSecond);
  }

  take(visitor: string, nowMs: number): void {
    let bucket = this.#buckets.get(visitor);
    if (!bucket) {
      bucket = { tokens: this.#limit.burst, filledMs: nowMs };
      this.#buckets.set(visitor, bucket);
    }
    this.#fill(bucket, nowMs);
    bucket.tokens -= 1;
  }

  /** Takes a token if there is one: 0. Else the seconds to wait for it. */
  takeOrWait(visitor: string, nowMs: number): number {
    const seconds = this.waitSeconds(visitor, nowMs);
    if (seconds === 0) this.take(visitor, nowMs);
    return seconds;
  }

  send(reply: Reply, waitSeconds: number): Reply {
    const { perSecond, burst } = this.#limit;
    reply
      .header("retry-after", String(waitSeconds))
      .header("ratelimit-policy", `"default";q=${burst};w=${Math.max(1, Math.ceil(burst / perSecond))}`)
      .header("ratelimit", `"default";r=0;t=${waitSeconds}`);
    return sendError(reply, "RATE_LIMITED");
  }

  #fill(bucket: Bucket, nowMs: number): void {
    const gained = (Math.max(0, nowMs - bucket.filledMs) / 1000) * this.#limit.perSecond;
    bucket.tokens = Math.min(this.#limit.burst, bucket.tokens + gained);
    bucket.filledMs = nowMs;
  }
}
