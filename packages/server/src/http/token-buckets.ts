import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";

/** Beyond this many clients, the least recently active are evicted and start again with full buckets. */
const BUCKETS_MAX = 100_000;
const IPV6_NETWORK_BYTES = 8;
const IPV6_SITE_BYTES = 6;
/** An IPv6 /48 gets this many times the limit of one of its networks. */
const NETWORKS_PER_SITE = 4;

/**
 * The IPv4 address or the IPv6 /64, which belongs to one customer. The text is short and new: a part of the header it came
 * from would keep the whole header in memory.
 */
export function networkOf(address: string): string {
  return prefixOf(address, IPV6_NETWORK_BYTES);
}

function prefixOf(address: string, bytes: number): string {
  if (!ipaddr.isValid(address)) return "invalid";
  return ipaddr.process(address).toByteArray().slice(0, bytes).join(".");
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

/**
 * A token bucket per network. An IPv6 /48 has one too, because many customers of hosters get a whole one, with 65,536
 * networks. Each purpose has its own buckets.
 */
export class NetworkBuckets {
  readonly limit: RateLimit;
  readonly #networks: TokenBuckets;
  readonly #sites: TokenBuckets;

  constructor(limit: RateLimit) {
    this.limit = limit;
    this.#networks = new TokenBuckets(limit);
    this.#sites = new TokenBuckets({
      perSecond: limit.perSecond * NETWORKS_PER_SITE,
      burst: limit.burst * NETWORKS_PER_SITE,
    });
  }

  /** Takes a token and returns 0, or returns the seconds until one is available. */
  take(address: string, nowMs: number, purpose = ""): number {
    const wait = this.#networks.take(`${purpose} ${networkOf(address)}`, nowMs);
    return wait > 0 ? wait : this.#sites.take(`${purpose} ${prefixOf(address, IPV6_SITE_BYTES)}`, nowMs);
  }

  /** Gives a token back. */
  give(address: string, purpose = ""): void {
    this.#networks.give(`${purpose} ${networkOf(address)}`);
    this.#sites.give(`${purpose} ${prefixOf(address, IPV6_SITE_BYTES)}`);
  }
}
