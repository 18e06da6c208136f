import { newId } from "../../platform/primitives/ids.ts";
import type { AccountWithOrganization } from "../access/account.ts";
import {
  type AccountCaller,
  type Client,
  endedBefore,
  type Session,
  type SessionFactor,
  sessionEnd,
  userAgentOf,
} from "../access/session.ts";
import { Token } from "../access/token.ts";
import { record } from "../audit/audit.ts";
import type { Operation, Tables } from "../store.ts";

/** A new session. Only the browser keeps its token. */
export interface SignedIn {
  account: AccountWithOrganization;
  session: Session;
  token: Token;
}

/** How a person signed in, for the audit log. */
export type SignInMethod =
  | { method: "password" | "link" | "passkey"; secondFactor?: SessionFactor }
  | { method: "oidc"; issuer: string };

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
  const secondFactor = how.method === "oidc" ? "provider" : (how.secondFactor ?? null);
  const times = { created: now, lastSeen: now };
  const session: Session = { id: newId(now), accountId: account.id, ...times, address, userAgent, secondFactor };
  await tables.sessions.removeEnded(endedBefore(now));
  await tables.links.removeExpired(now);
  await tables.sessions.insert(session, token.hash());
  const signedIn = { ...account, lastSignIn: now };
  await tables.accounts.update(signedIn);
  const after = { ...how, address, userAgent };
  await record(tables, operation, { action: "account.signed_in", subject: account.id, after });
  return { account: signedIn, session, token };
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
