import type { AccountSort, Role } from "@dbdepot/contract/console/accounts";
import type { Account, AccountWithOrganization } from "../access/account.ts";
import type { SecretHash } from "../access/secret.ts";
import type { Session, SessionFactor, SessionLookup } from "../access/session.ts";
import type { Page, PageRequest } from "../page.ts";
import type { Identity } from "./identity.ts";
import type { Link } from "./link.ts";
import type { Challenge, OpenChallenge, Passkey, TwoFactorPolicy } from "./passkey.ts";
import type { PasswordHash } from "./password.ts";

interface AccountFilter {
  organizationId?: string | undefined;
  roles?: readonly Role[] | undefined;
}

export interface AccountStore {
  insert(account: Account): Promise<void>;
  byId(id: string): Promise<AccountWithOrganization | undefined>;
  byEmail(email: string): Promise<AccountWithOrganization | undefined>;
  /** Ordered by e-mail address: all or those of one organization. */
  list(filter?: AccountFilter): Promise<AccountWithOrganization[]>;
  /** Ordered by e-mail address unless the request says otherwise. */
  page(filter: AccountFilter, request: PageRequest<AccountSort>): Promise<Page<AccountWithOrganization>>;
  update(account: Account): Promise<void>;
  passwordHash(id: string): Promise<PasswordHash | null>;
  /** Removes its e-mails and its choices of notifications too. Its sessions and links must have been removed. */
  remove(id: string): Promise<void>;
  setPasswordHash(id: string, hash: PasswordHash | null): Promise<void>;
  byIdentity(identity: Identity): Promise<AccountWithOrganization | undefined>;
  identity(id: string): Promise<Identity | null>;
  setIdentity(id: string, identity: Identity | null): Promise<void>;
}

export interface SessionStore extends SessionLookup {
  insert(session: Session, hash: SecretHash): Promise<void>;
  /** Sets the organization whose console is shown, or null for the account's own. */
  setViewed(id: string, organizationId: string | null): Promise<void>;
  /** Newest first, including those that have ended. */
  list(accountId: string): Promise<Session[]>;
  /** This is not a change in the sense of `Store.change`: registers ignore it. */
  setLastSeen(id: string, time: Date): Promise<void>;
  setSecondFactor(id: string, factor: SessionFactor): Promise<void>;
  remove(id: string): Promise<void>;
  /** Removes all sessions of an account, except the one with the id `except`. */
  removeOfAccount(accountId: string, except?: string): Promise<void>;
  removeOfOrganization(organizationId: string): Promise<void>;
  removeEnded(before: { lastSeen: Date; created: Date }): Promise<void>;
  /** Removes the addresses and user agents of sessions that began before `time`. Returns how many sessions it changed. */
  clearAddresses(time: Date): Promise<number>;
}

/** Passkeys, recovery codes, and what browsers have to sign. */
export interface TwoFactorStore {
  /** Oldest first. */
  passkeys(accountId: string): Promise<Passkey[]>;
  byCredential(credentialId: string): Promise<Passkey | undefined>;
  insertPasskey(passkey: Passkey): Promise<void>;
  /** `isAlone` says that it signed in without a password. False if the passkey was removed in the meantime. */
  setUsed(id: string, counter: number, time: Date, isAlone?: boolean): Promise<boolean>;
  removePasskey(id: string): Promise<void>;
  insertCodes(accountId: string, hashes: readonly SecretHash[]): Promise<void>;
  countCodes(accountId: string): Promise<number>;
  /** False if the account has no such code. */
  removeCode(accountId: string, hash: SecretHash): Promise<boolean>;
  removeCodes(accountId: string): Promise<void>;
  insertChallenge(challenge: Challenge, hash: SecretHash): Promise<void>;
  challenge(hash: SecretHash): Promise<Challenge | undefined>;
  removeChallenges(accountId: string): Promise<void>;
  /** Includes open challenges. */
  removeExpiredChallenges(now: Date): Promise<void>;
  /** This and `takeOpenChallenge` are not changes in the sense of `Store.change`: registers ignore them. */
  insertOpenChallenge(challenge: OpenChallenge, hash: SecretHash): Promise<void>;
  /** Removes the challenge and returns it, so that it can be used only once. */
  takeOpenChallenge(hash: SecretHash): Promise<OpenChallenge | undefined>;
  /** Removes what belongs to the account. */
  removeOfAccount(accountId: string): Promise<void>;
}

export interface LinkStore {
  /** `mailId` is the e-mail that contains the link, if any. */
  insert(link: Link, hash: SecretHash, mailId?: string): Promise<void>;
  byHash(hash: SecretHash): Promise<Link | undefined>;
  removeOfAccount(accountId: string): Promise<void>;
  removeOfMail(mailId: string): Promise<void>;
  removeExpired(now: Date): Promise<void>;
}

declare module "../store.ts" {
  interface Tables {
    accounts: AccountStore;
    sessions: SessionStore;
    links: LinkStore;
    twoFactor: TwoFactorStore;
  }
  interface Rules {
    /** The roles whose passwords need a second factor. */
    twoFactor: TwoFactorPolicy;
  }
}
