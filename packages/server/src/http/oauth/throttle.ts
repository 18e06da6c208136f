import { NetworkBuckets, type RateLimit, TokenBuckets } from "../token-buckets.ts";

/** A person starts a few sign-ins at most. */
const REQUESTS_PER_NETWORK = { perSecond: 0.5, burst: 30 };
/** Limits how many requests the database holds, for 15 minutes each. In each process. */
const REQUESTS_IN_TOTAL = { perSecond: 20, burst: 600 };

const GUESSES_PER_NETWORK = { perSecond: 1 / 6, burst: 50 };
const GUESSES_IN_TOTAL = { perSecond: 10, burst: 500 };

/** Limits requests by network, and by all networks together. */
class LimitInTotal {
  readonly #networks: NetworkBuckets;
  readonly #total: TokenBuckets;

  constructor(perNetwork: RateLimit, total: RateLimit) {
    this.#networks = new NetworkBuckets(perNetwork);
    this.#total = new TokenBuckets(total);
  }

  /** Takes a token and returns 0, or returns the seconds until one is available. */
  take(address: string, nowMs: number): number {
    const wait = this.#networks.take(address, nowMs);
    return wait > 0 ? wait : this.#total.take("", nowMs);
  }

  /** Gives the token back. */
  give(address: string): void {
    this.#networks.give(address);
    this.#total.give("");
  }
}

/** Right guesses are given back. */
export interface ProgramLimits {
  requests: LimitInTotal;
  /** Codes that people type are short enough to be guessed from many networks. */
  userCodes: LimitInTotal;
  /**
   * Device codes, authorization codes and refresh tokens cannot be guessed, so they are only limited by network. A limit in
   * total would let strangers stop the programs that are signed in.
   */
  tokens: NetworkBuckets;
}

export function programLimits(): ProgramLimits {
  return {
    requests: new LimitInTotal(REQUESTS_PER_NETWORK, REQUESTS_IN_TOTAL),
    userCodes: new LimitInTotal(GUESSES_PER_NETWORK, GUESSES_IN_TOTAL),
    tokens: new NetworkBuckets(GUESSES_PER_NETWORK),
  };
}
