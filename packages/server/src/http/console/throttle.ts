import { NetworkBuckets, networkOf, TokenBuckets } from "../token-buckets.ts";

/** Enough for a person who tries all their passwords; a dictionary takes years. */
const PER_ACCOUNT_AND_NETWORK = { perSecond: 1 / 30, burst: 10 };
/** The same number of guesses for one sign-in, which lasts five minutes. */
const PER_PENDING_SIGN_IN = { perSecond: 1 / 30, burst: 10 };
/** This limit is higher, because many people may share an address. */
const PER_NETWORK = { perSecond: 1 / 6, burst: 50 };
/** The sign-in page asks for options whenever it is open, and many people may share an address. */
const PASSKEY_OPTIONS = { perSecond: 2, burst: 200 };
/** Strangers can ask for resets from many networks, but the owner needs only one of the links. */
const RESET_MAILS = { perSecond: 1 / 600, burst: 5 };

/** Requests for access per organization: enough for the whole catalogue of most vendors, but no flood of e-mails. */
export const ACCESS_REQUESTS = { perSecond: 1 / 300, burst: 20 };

/** Invitations and new links per organization: enough to invite a team, but no flood of e-mails to strangers. */
export const INVITATIONS = { perSecond: 1 / 300, burst: 20 };

interface Attempt {
  /** Each purpose has its own limits, so that failed sign-ins never block a reset. */
  purpose: "sign in" | "passkey" | "second factor" | "reset" | "change password" | "use link" | "unsubscribe";
  address: string;
  /** The account, or undefined if a link is guessed. */
  email?: string;
  /** The token of a sign-in whose password was right. It is limited whatever network the guesses come from. */
  pending?: string;
}

/**
 * Limits how often passwords and links can be guessed. Right guesses don't count. An account is limited per network, so
 * that its owner cannot be locked out from elsewhere.
 */
export class SignInThrottle {
  readonly #accounts = new TokenBuckets(PER_ACCOUNT_AND_NETWORK);
  readonly #networks = new NetworkBuckets(PER_NETWORK);
  readonly #pending = new TokenBuckets(PER_PENDING_SIGN_IN);
  readonly #passkeyOptions = new NetworkBuckets(PASSKEY_OPTIONS);
  readonly #resetMails = new TokenBuckets(RESET_MAILS);

  /** Counts an attempt and returns 0, or returns the seconds until the next one is allowed. */
  take(attempt: Attempt, now: Date): number {
    const { address, purpose, pending } = attempt;
    const nowMs = now.getTime();
    const account = accountOf(attempt);
    const takes = [
      () => this.#networks.take(address, nowMs, purpose),
      () => (account === undefined ? 0 : this.#accounts.take(account, nowMs)),
      () => (pending === undefined ? 0 : this.#pending.take(pending, nowMs)),
    ];
    for (const take of takes) {
      const wait = take();
      if (wait > 0) return wait;
    }
    return 0;
  }

  /** Takes back an attempt that succeeded. */
  forgive(attempt: Attempt): void {
    const account = accountOf(attempt);
    this.#networks.give(attempt.address, attempt.purpose);
    if (account !== undefined) this.#accounts.give(account);
  }

  /** Counts a request for the options of a passkey, like `take`. */
  takePasskeyOptions(address: string, now: Date): number {
    return this.#passkeyOptions.take(address, now.getTime(), "passkey options");
  }

  /** Whether the account may get another e-mail that was requested without signing in. */
  takeResetMail(accountId: string, now: Date): boolean {
    return this.#resetMails.take(accountId, now.getTime()) === 0;
  }
}

function accountOf({ purpose, address, email }: Attempt): string | undefined {
  return email === undefined ? undefined : `${purpose} ${networkOf(address)} ${email.trim().toLowerCase()}`;
}
