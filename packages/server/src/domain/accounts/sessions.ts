import { newId } from "../../platform/primitives/ids.ts";
import { type AccountWithOrganization, actorOf, isUsable } from "../access/account.ts";
import {
  type AccountCaller,
  type Client,
  endedBefore,
  findSession,
  type Session,
  sessionEnd,
  userAgentOf,
} from "../access/session.ts";
import { Token } from "../access/token.ts";
import { record } from "../audit/audit.ts";
import type { Operation, Tables } from "../store.ts";
import { hashPassword, requirePassword, verifyPassword } from "./password.ts";

/** A new session. Only the browser keeps its token. */
export interface SignedIn {
  account: AccountWithOrganization;
  token: Token;
}

/** Undefined if there is no such account, the password is wrong or the account may not sign in: all take the same time. */
export async function signIn(
  operation: Omit<Operation, "actor">,
  { email, password }: { email: string; password: string },
  client: Client,
): Promise<SignedIn | undefined> {
  const { store } = operation;
  const found = await store.accounts.byEmail(email.trim().toLowerCase());
  const hash = found ? await store.accounts.passwordHash(found.id) : null;
  const isRight = await verifyPassword(password, hash);
  if (!found || !isRight) return undefined;
  return store.change(async (tables) => {
    const account = await tables.accounts.byId(found.id);
    const isUnchanged = (await tables.accounts.passwordHash(found.id)) === hash;
    if (!account || !isUnchanged || !isUsable(account)) return undefined;
    return startSession(tables, { ...operation, actor: actorOf(account) }, account, client, { method: "password" });
  });
}

/** How a person signed in, for the audit log. */
type SignInMethod = { method: "password" | "link" } | { method: "oidc"; issuer: string };

/** Call it in a transaction, for an account that may sign in. Stores the account as it is given. */
export async function startSession(
  tables: Tables,
  operation: Operation,
  account: AccountWithOrganization,
  client: Client,
  how: SignInMethod,
): Promise<SignedIn> {
  const { now } = operation;
  const token = Token.generate();
  const { address } = client;
  const userAgent = userAgentOf(client);
  const session = { id: newId(now), accountId: account.id, created: now, lastSeen: now, address, userAgent };
  await tables.sessions.removeEnded(endedBefore(now));
  await tables.links.removeExpired(now);
  await tables.sessions.insert(session, token.hash());
  const signedIn = { ...account, lastSignIn: now };
  await tables.accounts.update(signedIn);
  const after = { ...how, address, userAgent };
  await record(tables, operation, { action: "account.signed_in", subject: account.id, after });
  return { account: signedIn, token };
}

/** Newest first. */
export async function liveSessions(
  { sessions }: Pick<Tables, "sessions">,
  accountId: string,
  now: Date,
): Promise<Session[]> {
  return (await sessions.list(accountId)).filter((session) => sessionEnd(session) > now);
}

/** Ends one session of the caller's account. Ending it again has no effect. */
export async function endSession(operation: Operation, { account }: AccountCaller, id: string): Promise<void> {
  await operation.store.change(async (tables) => {
    const session = (await tables.sessions.list(account.id)).find((candidate) => candidate.id === id);
    if (!session) return;
    await tables.sessions.remove(id);
    const { address, userAgent } = session;
    await record(tables, operation, {
      action: "account.signed_out",
      subject: account.id,
      after: { address, userAgent },
    });
  });
}

/** Ends all other sessions. False if the current password is wrong. */
export async function changePassword(
  operation: Operation,
  { account, session, sessionHash }: AccountCaller,
  { current, password }: { current: string; password: string },
): Promise<boolean> {
  const { store, now } = operation;
  requirePassword(password);
  const hash = await store.accounts.passwordHash(account.id);
  if (!(await verifyPassword(current, hash))) return false;
  const newHash = await hashPassword(password);
  return store.change(async (tables) => {
    const isSignedIn = await findSession(tables.sessions, sessionHash, now);
    if (!isSignedIn || (await tables.accounts.passwordHash(account.id)) !== hash) return false;
    await tables.accounts.setPasswordHash(account.id, newHash);
    await tables.sessions.removeOfAccount(account.id, session.id);
    await tables.links.removeOfAccount(account.id);
    await record(tables, operation, { action: "account.password_changed", subject: account.id, after: null });
    return true;
  });
}
