import type { Account } from "../access/account.ts";
import { isOperatorRole } from "../access/roles.ts";
import type { AccountCaller } from "../access/session.ts";

/** A WebAuthn credential: the second factor of an account. Only the public key is stored. */
export interface Passkey {
  id: string;
  accountId: string;
  /** The authenticator's own id, in base64url. */
  credentialId: string;
  /** A COSE key in base64url. */
  publicKey: string;
  /** Increases with each use, unless the authenticator does not count. */
  counter: number;
  /** How browsers can reach the authenticator. */
  transports: string[];
  name: string;
  created: Date;
  lastUsed: Date | null;
}

/** Something that a browser has to sign soon. The secret that finds it is stored as a hash. */
export interface Challenge {
  accountId: string;
  /** To finish signing in, or to add a passkey. */
  purpose: "sign_in" | "add";
  challenge: string;
  expires: Date;
}

/** Long enough to find a security key. */
const CHALLENGE_MS = 5 * 60 * 1000;

export function challengeEnd(now: Date): Date {
  return new Date(now.getTime() + CHALLENGE_MS);
}

/** Makes the options for the browser, and verifies what the authenticator signed. */
export interface PasskeyCeremonies {
  creationOptions(account: Account, existing: readonly Passkey[], challenge: string): Promise<Record<string, unknown>>;
  /** Undefined if the response is not valid. */
  verifyCreation(
    response: Record<string, unknown>,
    challenge: string,
  ): Promise<Pick<Passkey, "credentialId" | "publicKey" | "counter" | "transports"> | undefined>;
  requestOptions(passkeys: readonly Passkey[], challenge: string): Promise<Record<string, unknown>>;
  /** Returns the new counter, or undefined if the response is not valid. */
  verifyUse(response: Record<string, unknown>, challenge: string, passkey: Passkey): Promise<number | undefined>;
}

export const TWO_FACTOR_POLICIES = ["off", "operators", "all"] as const;
/** The roles whose passwords need a second factor. */
export type TwoFactorPolicy = (typeof TWO_FACTOR_POLICIES)[number];

export function requiresTwoFactor(policy: TwoFactorPolicy, { role }: Account): boolean {
  return policy === "all" || (policy === "operators" && isOperatorRole(role));
}

/** Whether the person has to add a passkey before they can do anything else. */
export function lacksSecondFactor(
  policy: TwoFactorPolicy,
  { account, session }: Omit<AccountCaller, "sessionHash">,
): boolean {
  return session.secondFactor === null && requiresTwoFactor(policy, account);
}
