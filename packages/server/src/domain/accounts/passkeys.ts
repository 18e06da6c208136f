import { conflict, invalid, notFound } from "../../platform/primitives/faults.ts";
import { newId } from "../../platform/primitives/ids.ts";
import type { AccountWithOrganization } from "../access/account.ts";
import { requirePersonName } from "../access/person.ts";
import { isOperatorRole } from "../access/roles.ts";
import { type AccountCaller, findSession } from "../access/session.ts";
import { record } from "../audit/audit.ts";
import type { Operation, Tables } from "../store.ts";
import { type AccountManager, requireManaged, requireManager, SignedOut } from "./accounts.ts";
import { type Passkey, type PasskeyCeremonies, requiresTwoFactor } from "./passkey.ts";
import { hashRecoveryCode, newRecoveryCodes } from "./recovery-codes.ts";
import { findChallenge, newChallenge } from "./second-factor.ts";

const PASSKEYS_MAX = 20;

/** The options that the browser needs to create a passkey. */
export async function beginPasskey(operation: Operation, ceremonies: PasskeyCeremonies, { account }: AccountCaller) {
  const { store } = operation;
  const existing = await store.twoFactor.passkeys(account.id);
  if (existing.length >= PASSKEYS_MAX) throw conflict(`you already have ${PASSKEYS_MAX} passkeys: remove one first`);
  const { token, challenge } = await store.change((tables) => newChallenge(tables, operation, account.id, "add"));
  return { token, options: await ceremonies.creationOptions(account, existing, challenge) };
}

export interface AddedPasskey {
  passkey: Passkey;
  /** Present only with the first passkey. They are not stored, so this is the only place that has them. */
  recoveryCodes: string[] | null;
}

/**
 * Adds the passkey that the browser has created. The first one comes with recovery codes and ends all other sessions, because they
 * were started without a second factor.
 */
export async function addPasskey(
  operation: Operation,
  ceremonies: PasskeyCeremonies,
  caller: AccountCaller,
  { token, name, response }: { token: string; name: string; response: Record<string, unknown> },
): Promise<AddedPasskey> {
  const { store, now } = operation;
  const { account, session } = caller;
  const early = await findChallenge(store, token, "add", now);
  const credential = early && (await ceremonies.verifyCreation(response, early.challenge));
  if (!credential) throw invalid("the passkey could not be verified, or it took too long: try again");
  return store.change(async (tables) => {
    await requireSession(tables, caller, now);
    const found = await findChallenge(tables, token, "add", now);
    if (found?.accountId !== account.id) throw invalid("the passkey took too long: try again");
    const isFirst = (await tables.twoFactor.passkeys(account.id)).length === 0;
    const passkey: Passkey = {
      id: newId(now),
      accountId: account.id,
      ...credential,
      name: requirePersonName(name) || "Passkey",
      created: now,
      lastUsed: null,
    };
    if (await tables.twoFactor.byCredential(passkey.credentialId)) throw invalid("this passkey was already added");
    await tables.twoFactor.insertPasskey(passkey);
    await tables.twoFactor.removeChallenges(account.id);
    await tables.sessions.setSecondFactor(session.id, session.secondFactor ?? "passkey");
    if (isFirst) await tables.sessions.removeOfAccount(account.id, session.id);
    await recordPasskey(tables, operation, "account.passkey_added", passkey);
    return { passkey, recoveryCodes: isFirst ? await replaceCodes(tables, operation, account.id) : null };
  });
}

/** Removing the last passkey turns the second factor off, and removes the recovery codes. */
export async function removePasskey(operation: Operation, caller: AccountCaller, id: string): Promise<void> {
  const { store, now, rules } = operation;
  const { account } = caller;
  await store.change(async (tables) => {
    await requireSession(tables, caller, now);
    const passkeys = await tables.twoFactor.passkeys(account.id);
    const passkey = passkeys.find((each) => each.id === id);
    if (!passkey) throw notFound("there is no such passkey");
    if (passkeys.length === 1) {
      if (requiresTwoFactor(rules?.twoFactor ?? "off", account)) {
        throw conflict("your account needs a second factor: add another passkey before you remove the last one");
      }
      await tables.twoFactor.removeCodes(account.id);
    }
    await tables.twoFactor.removePasskey(id);
    await recordPasskey(tables, operation, "account.passkey_removed", passkey);
  });
}

/** The old codes stop working. */
export async function renewRecoveryCodes(operation: Operation, caller: AccountCaller): Promise<string[]> {
  const { account } = caller;
  return operation.store.change(async (tables) => {
    await requireSession(tables, caller, operation.now);
    const passkeys = await tables.twoFactor.passkeys(account.id);
    if (passkeys.length === 0) throw conflict("recovery codes replace a passkey: add a passkey first");
    return replaceCodes(tables, operation, account.id);
  });
}

/** Removes the passkeys and codes of someone who has lost them. They sign in with the password alone, until they add new ones. */
export async function resetSecondFactor(
  operation: Operation,
  manager: AccountManager,
  idOrEmail: string,
): Promise<AccountWithOrganization> {
  return operation.store.change(async (tables) => {
    const own = await requireManager(tables, manager, operation.now);
    if (own && !isOperatorRole(own.role)) throw invalid("only operators can reset a second factor");
    const account = await requireManaged(tables, own, idOrEmail);
    // Otherwise a session would be enough to turn the second factor off.
    if (own?.id === account.id) throw conflict("you cannot reset your own second factor: ask another operator");
    const { length: passkeys } = await tables.twoFactor.passkeys(account.id);
    await tables.twoFactor.removeOfAccount(account.id);
    await tables.sessions.removeOfAccount(account.id);
    await record(tables, operation, {
      action: "account.second_factor_reset",
      subject: account.id,
      before: { passkeys },
      after: { passkeys: 0 },
    });
    return account;
  });
}

async function replaceCodes(tables: Tables, operation: Operation, accountId: string): Promise<string[]> {
  const codes = newRecoveryCodes();
  await tables.twoFactor.removeCodes(accountId);
  await tables.twoFactor.insertCodes(accountId, codes.map(hashRecoveryCode));
  const after = { codes: codes.length };
  await record(tables, operation, { action: "account.recovery_codes_created", subject: accountId, after });
  return codes;
}

async function requireSession(tables: Tables, { sessionHash }: AccountCaller, now: Date): Promise<void> {
  if (!(await findSession(tables.sessions, sessionHash, now))) throw new SignedOut("the session has ended");
}

async function recordPasskey(
  tables: Tables,
  operation: Operation,
  action: "account.passkey_added" | "account.passkey_removed",
  { id, accountId, name }: Passkey,
): Promise<void> {
  await record(tables, operation, { action, subject: accountId, after: { passkey_id: id, name } });
}
