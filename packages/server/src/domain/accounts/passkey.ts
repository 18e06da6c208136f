import { MINUTE_MS } from "../../platform/primitives/dates.ts";
import type { Account } from "../access/account.ts";
import { isOperatorRole } from "../access/roles.ts";
import type { AccountCaller } from "../access/session.ts";

/** A WebAuthn credential: the second factor of an account, or both factors at once. Only the public key is stored. */
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
  /** Whether the authenticator finds it without the account's name and checks who uses it, so that no password is needed. */
  signsInAlone: boolean;
}

/** Something that a browser has to sign soon. The secret that finds it is stored as a hash. */
export interface Challenge {
  accountId: string;
  /** Whether it is used to finish signing in, to add a passkey, or to confirm a change. */
  purpose: "sign_in" | "add" | "confirm";
  challenge: string;
  expires: Date;
}

/** The same for a person who is still unknown. It can be used once. */
export type OpenChallenge = Pick<Challenge, "challenge" | "expires">;

/** Long enough to find a security key. */
const CHALLENGE_MS = 5 * MINUTE_MS;

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
  ): Promise<Pick<Passkey, "credentialId" | "publicKey" | "counter" | "transports" | "signsInAlone"> | undefined>;
  requestOptions(passkeys: readonly Passkey[], challenge: string): Promise<Record<string, unknown>>;
  /** Asks for any passkey of this site, and to check who uses it. */
  signInOptions(challenge: string): Promise<Record<string, unknown>>;
  /** Returns the new counter, or undefined if the response is not valid. */
  verifyUse(response: Record<string, unknown>, challenge: string, passkey: Passkey): Promise<number | undefined>;
  /** The same for a response without a password: it must name the passkey's account, and the authenticator must have checked the person. */
  verifyUseAlone(response: Record<string, unknown>, challenge: string, passkey: Passkey): Promise<number | undefined>;
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
