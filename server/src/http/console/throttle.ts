import { networkOf, TokenBuckets } from "../token-buckets.ts";

/** Enough for a person who tries all their passwords; a dictionary takes years. */
const PER_ACCOUNT = { perSecond: 1 / 30, burst: 10 };
/** More, because many people may share an address. */
const PER_ADDRESS = { perSecond: 1 / 6, burst: 50 };

/** Requests for access per organization: enough for the whole catalogue of most vendors, but no flood of e-mails. */
export const ACCESS_REQUESTS = { perSecond: 1 / 300, burst: 20 };

interface Attempt {
  address: string;
  /** Whose password is guessed, or undefined if a link is. */
  email?: string;
}

/** Limits how often passwords and links can be guessed. Right guesses don't count. */
export class SignInThrottle {
  readonly #accounts = new TokenBuckets(PER_ACCOUNT);
  readonly #addresses = new TokenBuckets(PER_ADDRESS);

  /** Counts an attempt and returns 0, or returns the seconds until the next one is allowed. */
  take({ address, email }: Attempt, now: Date): number {
    const wait = this.#addresses.take(networkOf(address), now.getTime());
    if (wait > 0 || email === undefined) return wait;
    return this.#accounts.take(email.trim().toLowerCase(), now.getTime());
  }

  /** Takes back an attempt that succeeded. */
  forgive({ address, email }: Attempt): void {
    this.#addresses.give(networkOf(address));
    if (email !== undefined) this.#accounts.give(email.trim().toLowerCase());
  }
}
