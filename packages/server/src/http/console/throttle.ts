import { networkOf, TokenBuckets } from "../token-buckets.ts";

/** Enough for a person who tries all their passwords; a dictionary takes years. */
const PER_ACCOUNT_AND_NETWORK = { perSecond: 1 / 30, burst: 10 };
/** This limit is higher, because many people may share an address. */
const PER_NETWORK = { perSecond: 1 / 6, burst: 50 };
/** Strangers can ask for resets from many networks, but the owner needs only one of the links. */
const RESET_MAILS = { perSecond: 1 / 600, burst: 5 };

/** Requests for access per organization: enough for the whole catalogue of most vendors, but no flood of e-mails. */
export const ACCESS_REQUESTS = { perSecond: 1 / 300, burst: 20 };

/** Invitations and new links per organization: enough to invite a team, but no flood of e-mails to strangers. */
export const INVITATIONS = { perSecond: 1 / 300, burst: 20 };

interface Attempt {
  /** Each purpose has its own limits, so that failed sign-ins never block a reset. */
  purpose: "sign in" | "second factor" | "reset" | "change password" | "use link" | "unsubscribe";
  address: string;
  /** The account, or undefined if a link is guessed. */
  email?: string;
}

/**
 * Limits how often passwords and links can be guessed. Right guesses don't count. An account is limited per network, so
 * that its owner cannot be locked out from elsewhere.
 */
export class SignInThrottle {
  readonly #accounts = new TokenBuckets(PER_ACCOUNT_AND_NETWORK);
  readonly #networks = new TokenBuckets(PER_NETWORK);
  readonly #resetMails = new TokenBuckets(RESET_MAILS);

  /** Counts an attempt and returns 0, or returns the seconds until the next one is allowed. */
  take(attempt: Attempt, now: Date): number {
    const { account, network } = bucketsOf(attempt);
    const wait = this.#networks.take(network, now.getTime());
    return wait > 0 || account === undefined ? wait : this.#accounts.take(account, now.getTime());
  }

  /** Takes back an attempt that succeeded. */
  forgive(attempt: Attempt): void {
    const { account, network } = bucketsOf(attempt);
    this.#networks.give(network);
    if (account !== undefined) this.#accounts.give(account);
  }

  /** Whether the account may get another e-mail that was requested without signing in. */
  takeResetMail(accountId: string, now: Date): boolean {
    return this.#resetMails.take(accountId, now.getTime()) === 0;
  }
}

function bucketsOf({ purpose, address, email }: Attempt): { account: string | undefined; network: string } {
  const network = `${purpose} ${networkOf(address)}`;
  return { account: email === undefined ? undefined : `${network} ${email.trim().toLowerCase()}`, network };
}
