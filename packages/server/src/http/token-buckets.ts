import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";

/** Beyond this many clients, the least recently active are evicted and start again with full buckets. */
const BUCKETS_MAX = 100_000;
const IPV6_NETWORK_BYTES = 8;

/**
 * The IPv4 address or the IPv6 /64, which belongs to one customer. The text is short and new: a part of the header it came
 * from would keep the whole header in memory.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return "invalid";
  const parsed = ipaddr.process(address);
  return parsed.toByteArray().slice(0, IPV6_NETWORK_BYTES).join(".");
}

export interface RateLimit {
  perSecond: number;
  burst: number;
}

interface Bucket {
  tokens: number;
  filledMs: number;
}

/** A token bucket per client: a burst of `burst` requests, then `perSecond`. */
export class TokenBuckets {
  readonly limit: RateLimit;
  // With `max` instead of `maxSize`, the cache would allocate memory for all entries at once.
  readonly #buckets = new LRUCache<string, Bucket>({ maxSize: BUCKETS_MAX, sizeCalculation: () => 1 });

  constructor(limit: RateLimit) {
    this.limit = limit;
  }

  /** Takes a token and returns 0, or returns the seconds until one is available. A client may have its own limit. */
  take(client: string, nowMs: number, limit = this.limit): number {
    let bucket = this.#buckets.get(client);
    if (!bucket) {
      bucket = { tokens: limit.burst, filledMs: nowMs };
      this.#buckets.set(client, bucket);
    }
    const gained = (Math.max(0, nowMs - bucket.filledMs) / 1000) * limit.perSecond;
    bucket.tokens = Math.min(limit.burst, bucket.tokens + gained);
    bucket.filledMs = nowMs;
    if (bucket.tokens < 1) return Math.ceil((1 - bucket.tokens) / limit.perSecond);
    bucket.tokens -= 1;
    return 0;
  }

  /** Gives a token back. */
  give(client: string): void {
    const bucket = this.#buckets.get(client);
    if (bucket) bucket.tokens += 1;
  }
}
