import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../platform/primitives/dates.ts";
import { type AccountWithOrganization, isUsable } from "./account.ts";
import { isOperatorRole } from "./roles.ts";
import { maskKeys, type SecretHash } from "./secret.ts";

const IDLE_MS = 12 * HOUR_MS;
export const SESSION_MAX_MS = 30 * DAY_MS;
const SEEN_INTERVAL_MS = MINUTE_MS;
const USER_AGENT_MAX_LENGTH = 512;

/** A browser that is signed in. Its token is stored as a hash. */
export interface Session {
  id: string;
  accountId: string;
  created: Date;
  /** Time of the last request, to within a minute. */
  lastSeen: Date;
  address: string;
  userAgent: string;
  /** Null if the person signed in with a password alone. */
  secondFactor: SessionFactor | null;
}

/** The second factor of a sign-in. An OpenID Connect provider takes care of its own. */
export type SessionFactor = "passkey" | "recovery_code" | "provider";

/** The browser that created a session. */
export interface Client {
  address: string;
  userAgent: string | undefined;
}

export function userAgentOf({ userAgent = "" }: Client): string {
  return maskKeys(userAgent).slice(0, USER_AGENT_MAX_LENGTH);
}

/** When the session ends unless it is used again. */
export function sessionEnd({ created, lastSeen }: Session): Date {
  return new Date(Math.min(lastSeen.getTime() + IDLE_MS, created.getTime() + SESSION_MAX_MS));
}

/** Sessions that were last seen or created before these times have ended. */
export function endedBefore(now: Date): { lastSeen: Date; created: Date } {
  return { lastSeen: new Date(now.getTime() - IDLE_MS), created: new Date(now.getTime() - SESSION_MAX_MS) };
}

/** Whether enough time has passed to store `lastSeen` again. Most requests write nothing. */
export function isSeenAgain({ lastSeen }: Session, now: Date): boolean {
  return now.getTime() - lastSeen.getTime() >= SEEN_INTERVAL_MS;
}

/** A person who is signed in. */
export interface AccountCaller {
  account: AccountWithOrganization;
  /**
   * The operator's own account, if they view the console of an organization. Then `account` has the rights of an admin of
   * the organization, to read only.
   */
  operator?: AccountWithOrganization;
  session: Session;
  /** The hash of the session's token, to look it up again inside a transaction. */
  sessionHash: SecretHash;
}

/** Why a session is refused. */
export type SessionProblem = "session_ended" | "lacks_role" | "lacks_second_factor";

/** Finds sessions by the hash of their token. */
export interface SessionLookup {
  byHash(hash: SecretHash): Promise<FoundSession | undefined>;
}

interface FoundSession {
  session: Session;
  account: AccountWithOrganization;
  /** The organization whose console an operator views. */
  viewed?: NonNullable<AccountWithOrganization["organization"]>;
}

/** Finds who is signed in, unless the session has ended or the account may no longer be used. */
export async function findSession(
  sessions: SessionLookup,
  sessionHash: SecretHash,
  now: Date,
): Promise<AccountCaller | undefined> {
  const found = await sessions.byHash(sessionHash);
  if (!found || sessionEnd(found.session) <= now || !isUsable(found.account)) return undefined;
  const { session, account, viewed } = found;
  if (!viewed || viewed.archived || !isOperatorRole(account.role)) return { session, account, sessionHash };
  const { id, name, archived } = viewed;
  const shown = { ...account, role: "admin", organizationId: id, organization: { id, name, archived } } as const;
  return { session, account: shown, operator: account, sessionHash };
}
