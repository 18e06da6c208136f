import { actorOf, isUsable } from "../access/account.ts";
import type { Client } from "../access/session.ts";
import { Token } from "../access/token.ts";
import type { Operation, Store } from "../store.ts";
import { challengeEnd, type PasskeyCeremonies } from "./passkey.ts";
import { randomChallenge } from "./second-factor.ts";
import { type SignedIn, startSession } from "./sessions.ts";

/** The options that the browser needs to sign in with any passkey of this site. They are the same for everyone. */
export async function beginPasskeySignIn(
  { store, now }: Omit<Operation, "actor">,
  ceremonies: PasskeyCeremonies,
): Promise<{ token: Token; options: Record<string, unknown> }> {
  const token = Token.generate();
  const challenge = randomChallenge();
  const options = await ceremonies.signInOptions(challenge);
  await store.twoFactor.removeExpiredChallenges(now);
  await store.twoFactor.insertOpenChallenge({ challenge, expires: challengeEnd(now) }, token.hash());
  return { token, options };
}

/**
 * Signs in with a passkey alone. It counts as two factors: the authenticator, and the fingerprint, face or PIN that it has checked.
 * Undefined if the passkey is not valid or unknown, or if the account may not sign in with a password either.
 */
export async function signInWithPasskey(
  operation: Omit<Operation, "actor">,
  ceremonies: PasskeyCeremonies,
  { token, response }: { token: string; response: Record<string, unknown> },
  client: Client,
): Promise<SignedIn | undefined> {
  const { store, now } = operation;
  const challenge = await takeChallenge(store, token, now);
  const passkey = typeof response.id === "string" ? await store.twoFactor.byCredential(response.id) : undefined;
  if (!challenge || !passkey) return undefined;
  const counter = await ceremonies.verifyUseAlone(response, challenge, passkey);
  if (counter === undefined) return undefined;
  return store.change(async (tables) => {
    const account = await tables.accounts.byId(passkey.accountId);
    if (!account || !isUsable(account)) return undefined;
    // Without a password, the identity provider decides who may sign in.
    if ((await tables.accounts.passwordHash(account.id)) === null) return undefined;
    // A clone of the authenticator may have been faster.
    const current = await tables.twoFactor.byCredential(passkey.credentialId);
    if (current?.counter !== passkey.counter) return undefined;
    await tables.twoFactor.setUsed(passkey.id, counter, now, true);
    const signingIn = { ...operation, actor: actorOf(account) };
    const how = { method: "passkey", secondFactor: "passkey" } as const;
    return startSession(tables, signingIn, account, client, how);
  });
}

async function takeChallenge({ twoFactor }: Store, token: string, now: Date): Promise<string | undefined> {
  const parsed = Token.parse(token);
  const found = parsed && (await twoFactor.takeOpenChallenge(parsed.hash()));
  return found && found.expires > now ? found.challenge : undefined;
}
