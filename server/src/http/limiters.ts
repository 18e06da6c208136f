import type { RateLimit } from "../settings.ts";
import { RateLimiter } from "./rate-limit.ts";

/** Guessing keys is slower by this factor than using one. */
const REFUSED_SHARE = 0.1;

/** The buckets of a request: its key's, and its address's for keys that were refused. */
export interface Limiters {
  keys: RateLimiter;
  refusals: RateLimiter;
}

export function createLimiters(limit: RateLimit): Limiters {
  const { perSecond, burst } = limit;
  return {
    keys: new RateLimiter(limit),
    refusals: new RateLimiter({
      perSecond: Math.max(1, perSecond * REFUSED_SHARE),
      burst: Math.max(1, Math.ceil(burst * REFUSED_SHARE)),
    }),
  };
}
