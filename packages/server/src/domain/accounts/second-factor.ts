import { randomBytes } from "node:crypto";
import { type AccountWithOrganization, actorOf, isUsable } from "../access/account.ts";
import type { Client } from "../access/session.ts";
import { Token } from "../access/token.ts";
import { record } from "../audit/audit.ts";
import type { Operation, Tables } from "../store.ts";
import { type Challenge, challengeEnd, type Passkey, type PasskeyCeremonies } from "./passkey.ts";
import { hashRecoveryCode } from "./recovery-codes.ts";
import { type SignedIn, type SignInMethod, startSession } from "./sessions.ts";

const CHALLENGE_BYTES = 32;

/** A person who has given the password, and whose passkey is still needed. Only the browser keeps the token. */
export interface AwaitingSecondFactor {
  account: AccountWithOrganization;
  awaiting: { token: Token; challenge: string; passkeys: Passkey[] };
}

/** Starts a session, or asks for the second factor if the account has one. Call it in a transaction. */
export async function enter(
  tables: Tables,
  operation: Operation,
  account: AccountWithOrganization,
  client: Client,
  how: SignInMethod,
): Promise<SignedIn | AwaitingSecondFactor> {
  const passkeys = await tables.twoFactor.passkeys(account.id);
  if (passkeys.length === 0) return startSession(tables, operation, account, client, how);
  await tables.accounts.update(account);
  return { account, awaiting: { ...(await newChallenge(tables, operation, account.id, "sign_in")), passkeys } };
}

export async function newChallenge(
  tables: Tables,
  { now }: Operation,
  accountId: string,
  purpose: Challenge["purpose"],
): Promise<{ token: Token; challenge: string }> {
  const token = Token.generate();
  const challenge = randomChallenge();
  await tables.twoFactor.removeExpiredChallenges(now);
  await tables.twoFactor.insertChallenge({ accountId, purpose, challenge, expires: challengeEnd(now) }, token.hash());
  return { token, challenge };
}

export function randomChallenge(): string {
  return randomBytes(CHALLENGE_BYTES).toString("base64url");
}

/** Undefined if it does not exist, has another purpose or has expired. */
export async function findChallenge(
  { twoFactor }: Pick<Tables, "twoFactor">,
  token: string,
  purpose: Challenge["purpose"],
  now: Date,
): Promise<Challenge | undefined> {
  const parsed = Token.parse(token);
  const found = parsed && (await twoFactor.challenge(parsed.hash()));
  return found?.purpose === purpose && found.expires > now ? found : undefined;
}

/** The person's answer: the authenticator's response, or a recovery code. */
export type SecondFactor = { response: Record<string, unknown> } | { code: string };

/** The person whose second factor is awaited. */
export async function awaitedAccount(
  tables: Pick<Tables, "twoFactor" | "accounts">,
  token: string,
  now: Date,
): Promise<AccountWithOrganization | undefined> {
  const found = await findChallenge(tables, token, "sign_in", now);
  return found && tables.accounts.byId(found.accountId);
}

/** Finishes signing in. Undefined if the answer is wrong or comes too late. A wrong answer can be corrected. */
export async function finishSignIn(
  operation: Omit<Operation, "actor">,
  ceremonies: PasskeyCeremonies,
  token: string,
  answer: SecondFactor,
  client: Client,
): Promise<SignedIn | undefined> {
  const { store, now } = operation;
  const early = await findChallenge(store, token, "sign_in", now);
  const used = early && "response" in answer ? await usedPasskey(operation, ceremonies, early, answer.response) : null;
  if (!early || used === undefined) return undefined;
  return store.change(async (tables) => {
    const found = await findChallenge(tables, token, "sign_in", now);
    const account = found && (await tables.accounts.byId(found.accountId));
    if (!account || !isUsable(account)) return undefined;
    const signingIn = { ...operation, actor: actorOf(account) };
    const isRight =
      "code" in answer
        ? await useRecoveryCode(tables, signingIn, account.id, answer.code)
        : used !== null && (await tables.twoFactor.setUsed(used.id, used.counter, now));
    if (!isRight) return undefined;
    await tables.twoFactor.removeChallenges(account.id);
    const secondFactor = "code" in answer ? "recovery_code" : "passkey";
    return startSession(tables, signingIn, account, client, { method: "password", secondFactor });
  });
}

/** The passkey that signed the challenge, with its new counter. */
export async function usedPasskey(
  { store }: Omit<Operation, "actor">,
  ceremonies: PasskeyCeremonies,
  { accountId, challenge }: Challenge,
  response: Record<string, unknown>,
): Promise<{ id: string; counter: number } | undefined> {
  const passkeys = await store.twoFactor.passkeys(accountId);
  const passkey = passkeys.find(({ credentialId }) => credentialId === response.id);
  const counter = passkey && (await ceremonies.verifyUse(response, challenge, passkey));
  return passkey && counter !== undefined ? { id: passkey.id, counter } : undefined;
}

async function useRecoveryCode(
  tables: Tables,
  operation: Operation,
  accountId: string,
  code: string,
): Promise<boolean> {
  if (!(await tables.twoFactor.removeCode(accountId, hashRecoveryCode(code)))) return false;
  const left = await tables.twoFactor.countCodes(accountId);
  await record(tables, operation, { action: "account.recovery_code_used", subject: accountId, after: { left } });
  return true;
}
