import { MINUTE_MS } from "../../platform/primitives/dates.ts";
import { conflict } from "../../platform/primitives/faults.ts";
import type { AccountCaller } from "../access/session.ts";
import type { Operation } from "../store.ts";
import type { PasskeyCeremonies } from "./passkey.ts";
import { verifyPassword } from "./password.ts";
import { findChallenge, newChallenge, usedPasskey } from "./second-factor.ts";

/** How long after signing in a person without a password needs no further proof. */
const FRESH_SESSION_MS = 15 * MINUTE_MS;

/** Proof that the person who is signed in still sits in front of the browser. */
export interface Proof {
  password?: string | undefined;
  /** The response that a passkey signed, with the token that came with the options. */
  passkey?: { token: string; response: Record<string, unknown> } | undefined;
}

/** The options that the browser needs to confirm with a passkey. */
export async function beginConfirmation(
  operation: Operation,
  ceremonies: PasskeyCeremonies,
  { account }: AccountCaller,
) {
  const { store } = operation;
  const passkeys = await store.twoFactor.passkeys(account.id);
  if (passkeys.length === 0) throw conflict("you have no passkey: enter your password instead");
  const { token, challenge } = await store.change((tables) => newChallenge(tables, operation, account.id, "confirm"));
  return { token, options: await ceremonies.requestOptions(passkeys, challenge) };
}

/**
 * Whether the proof is right. Without it, a stolen session or a forgotten browser would be enough to change how someone signs in.
 * People without a password, who sign in with the provider, may prove it by having signed in recently.
 */
export async function confirmPerson(
  operation: Operation,
  ceremonies: PasskeyCeremonies,
  caller: AccountCaller,
  { password, passkey }: Proof,
): Promise<boolean> {
  if (passkey) return confirmWithPasskey(operation, ceremonies, caller, passkey);
  const hash = await operation.store.accounts.passwordHash(caller.account.id);
  if (hash !== null) return password !== undefined && (await verifyPassword(password, hash));
  requireFreshSession(caller, operation.now);
  return true;
}

/** Used for people without a password. */
export function requireFreshSession({ session }: Pick<AccountCaller, "session">, now: Date): void {
  if (now.getTime() - session.created.getTime() <= FRESH_SESSION_MS) return;
  throw conflict("you signed in too long ago for this: sign out, sign in again, and repeat it");
}

async function confirmWithPasskey(
  operation: Operation,
  ceremonies: PasskeyCeremonies,
  { account }: AccountCaller,
  { token, response }: NonNullable<Proof["passkey"]>,
): Promise<boolean> {
  const { store, now } = operation;
  const early = await findChallenge(store, token, "confirm", now);
  if (early?.accountId !== account.id) return false;
  const used = await usedPasskey(operation, ceremonies, early, response);
  if (!used) return false;
  return store.change(async (tables) => {
    // Looked up again, because what was signed works once.
    if (!(await findChallenge(tables, token, "confirm", now))) return false;
    await tables.twoFactor.removeChallenges(account.id);
    return tables.twoFactor.setUsed(used.id, used.counter, now);
  });
}
