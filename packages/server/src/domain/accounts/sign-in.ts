import { actorOf, isUsable } from "../access/account.ts";
import type { Client } from "../access/session.ts";
import type { Operation } from "../store.ts";
import { verifyPassword } from "./password.ts";
import { type AwaitingSecondFactor, enter } from "./second-factor.ts";
import type { SignedIn } from "./sessions.ts";

/** Undefined if there is no such account, the password is wrong or the account may not sign in: all take the same time. */
export async function signIn(
  operation: Omit<Operation, "actor">,
  { email, password }: { email: string; password: string },
  client: Client,
): Promise<SignedIn | AwaitingSecondFactor | undefined> {
  const { store } = operation;
  const found = await store.accounts.byEmail(email.trim().toLowerCase());
  const hash = found ? await store.accounts.passwordHash(found.id) : null;
  const isRight = await verifyPassword(password, hash);
  if (!found || !isRight) return undefined;
  return store.change(async (tables) => {
    const account = await tables.accounts.byId(found.id);
    const isUnchanged = (await tables.accounts.passwordHash(found.id)) === hash;
    if (!account || !isUnchanged || !isUsable(account)) return undefined;
    return enter(tables, { ...operation, actor: actorOf(account) }, account, client, { method: "password" });
  });
}
