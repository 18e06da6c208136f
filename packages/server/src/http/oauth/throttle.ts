import { networkOf, type RateLimit, TokenBuckets } from "../token-buckets.ts";

interface Limits {
  perNetwork: RateLimit;
  /** For all networks together, in each process. */
  total: RateLimit;
}

/** A person starts a few sign-ins at most. The total limits how many requests the database holds, for 15 minutes each. */
const REQUESTS: Limits = { perNetwork: { perSecond: 0.5, burst: 30 }, total: { perSecond: 20, burst: 600 } };

/** User codes, device codes, authorization codes and refresh tokens that do not exist. Right ones don't count. */
const GUESSES: Limits = { perNetwork: { perSecond: 1 / 6, burst: 50 }, total: { perSecond: 10, burst: 500 } };

/** Limits requests by network, and by all networks together. */
class TwoLimits {
  readonly #networks: TokenBuckets;
  readonly #total: TokenBuckets;

  constructor({ perNetwork, total }: Limits) {
    this.#networks = new TokenBuckets(perNetwork);
    this.#total = new TokenBuckets(total);
  }

  /** Takes a token and returns 0, or returns the seconds until one is available. */
  take(address: string, now: Date): number {
    const wait = this.#networks.take(networkOf(address), now.getTime());
    return wait > 0 ? wait : this.#total.take("", now.getTime());
  }

  /** Gives the token back. */
  forgive(address: string): void {
    this.#networks.give(networkOf(address));
    this.#total.give("");
  }
}

export interface SignInLimits {
  requests: TwoLimits;
  guesses: TwoLimits;
}

export function signInLimits(): SignInLimits {
  return { requests: new TwoLimits(REQUESTS), guesses: new TwoLimits(GUESSES) };
}
