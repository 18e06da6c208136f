import type { SessionStore } from "../accounts/store.ts";
import { type AccountWithOrganization, isUsable } from "./account.ts";
import type { SecretHash } from "./secret.ts";
import { type Session, sessionEnd } from "./session.ts";

/** A person who is signed in. */
export interface AccountCaller {
  account: AccountWithOrganization;
  session: Session;
  /** Of the session's token, to look it up again inside a transaction. */
  sessionHash: SecretHash;
}

/** Why a session is refused. */
export type SessionProblem = "session_ended" | "lacks_role";

/** Finds who is signed in, unless the session has ended or the account may no longer be used. */
export async function findSession(
  sessions: Pick<SessionStore, "byHash">,
  sessionHash: SecretHash,
  now: Date,
): Promise<AccountCaller | undefined> {
  const found = await sessions.byHash(sessionHash);
  if (!found || sessionEnd(found.session) <= now || !isUsable(found.account)) return undefined;
  return { ...found, sessionHash };
}

/** The name of an account in the audit log. */
export function actorOf({ email }: { email: string }): string {
  return `account:${email}`;
}
