import type { AccountWithOrganization } from "../access/account.ts";
import { requirePersonName } from "../access/person.ts";
import { type AccountCaller, findSession } from "../access/session.ts";
import { record } from "../audit/audit.ts";
import type { Operation } from "../store.ts";
import { SignedOut } from "./accounts.ts";
import { requireFreshSession } from "./confirmation.ts";
import { hashPassword, requirePassword, verifyPassword } from "./password.ts";

/**
 * Ends all other sessions. False if the current password is wrong. Someone who has none, because they sign in with the provider, needs
 * no current one, but must have signed in recently.
 */
export async function changePassword(
  operation: Operation,
  caller: AccountCaller,
  { current, password }: { current?: string | undefined; password: string },
): Promise<boolean> {
  const { store, now } = operation;
  const { account, session, sessionHash } = caller;
  requirePassword(password);
  const hash = await store.accounts.passwordHash(account.id);
  if (hash === null) requireFreshSession(caller, now);
  if (hash !== null && !(await verifyPassword(current ?? "", hash))) return false;
  const newHash = await hashPassword(password);
  return store.change(async (tables) => {
    const isSignedIn = await findSession(tables.sessions, sessionHash, now);
    if (!isSignedIn || (await tables.accounts.passwordHash(account.id)) !== hash) return false;
    await tables.accounts.setPasswordHash(account.id, newHash);
    await tables.sessions.removeOfAccount(account.id, session.id);
    await tables.links.removeOfAccount(account.id);
    await tables.twoFactor.removeChallenges(account.id);
    await record(tables, operation, { action: "account.password_changed", subject: account.id, after: null });
    return true;
  });
}

/** Changes the caller's own name. */
export async function renameSelf(
  operation: Operation,
  { sessionHash }: AccountCaller,
  name: string,
): Promise<AccountWithOrganization> {
  return operation.store.change(async (tables) => {
    const found = await findSession(tables.sessions, sessionHash, operation.now);
    if (!found) throw new SignedOut("the session has ended");
    const { organization, ...before } = found.account;
    const after = { ...before, name: requirePersonName(name) };
    await tables.accounts.update(after);
    await record(tables, operation, { action: "account.updated", subject: after.id, before, after });
    return { ...after, organization };
  });
}
