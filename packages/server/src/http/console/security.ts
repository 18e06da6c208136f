import type {
  AccountSecurity,
  AddedPasskey,
  AddPasskeyRequest,
  NewRecoveryCodes,
  OwnPasskey,
  PasskeyCreation,
  RemovePasskeyRequest,
  RenameRequest,
  SecondFactorAnswer,
} from "@dbdepot/contract/console/security";
import type { SessionAccount, SessionState } from "@dbdepot/contract/console/sessions";
import type { PersonalData } from "@dbdepot/contract/operator/privacy";
import type { FastifyReply } from "fastify";
import { renameSelf } from "../../domain/accounts/own-account.ts";
import { type Passkey, requiresTwoFactor } from "../../domain/accounts/passkey.ts";
import {
  addPasskey,
  beginPasskey,
  removePasskey,
  renewRecoveryCodes,
  resetSecondFactor,
} from "../../domain/accounts/passkeys.ts";
import { awaitedAccount, finishSignIn, type SecondFactor } from "../../domain/accounts/second-factor.ts";
import { sessionAccountToWire } from "../../domain/accounts/wire.ts";
import { exportPerson } from "../../domain/privacy/people.ts";
import { invalid } from "../../platform/primitives/faults.ts";
import type { PersonContext, PublicContext } from "../endpoint.ts";
import { sendError } from "../errors.ts";
import { sendLimited } from "../plugins/rate-limits.ts";
import { clientOf, welcome } from "./session.ts";

/** The second step of signing in. It is limited like passwords. */
export async function postSecondFactor(
  context: PublicContext<unknown, SecondFactorAnswer>,
): Promise<SessionState | FastifyReply> {
  const { services, request, reply, body, now } = context;
  const { throttle, passkeys } = services.console;
  const answer = answerIn(body);
  const account = await awaitedAccount(services.store, body.token, now);
  const who = { address: request.clientAddress, ...(account && { email: account.email }) };
  const attempt = { purpose: "second factor", ...who } as const;
  const wait = throttle.take(attempt, now);
  if (wait > 0) return sendLimited(reply, wait);
  const operation = { store: services.store, now };
  const signedIn = account && (await finishSignIn(operation, passkeys, body.token, answer, clientOf(context)));
  if (!signedIn) return sendError(reply, "INVALID_CREDENTIALS");
  throttle.forgive(attempt);
  return welcome(context, signedIn);
}

function answerIn({ response, code }: SecondFactorAnswer): SecondFactor {
  if (response && code === undefined) return { response };
  if (code !== undefined && !response) return { code };
  throw invalid("send either response or code");
}

/** An operator who views a customer's console gets their own data, too. */
export async function getOwnData({ services, reply, caller, now }: PersonContext): Promise<PersonalData> {
  reply.header("content-disposition", 'attachment; filename="my-data.json"');
  return exportPerson(services.store, caller.account.email, now);
}

export async function patchOwnAccount(context: PersonContext<unknown, RenameRequest>): Promise<SessionAccount> {
  return sessionAccountToWire(await renameSelf(context.operation, context.caller, context.body.name));
}

export async function getSecurity({ services, caller }: PersonContext): Promise<AccountSecurity> {
  const { accounts, twoFactor } = services.store;
  const { account } = caller;
  return {
    has_password: (await accounts.passwordHash(account.id)) !== null,
    two_factor_required: requiresTwoFactor(services.rules.twoFactor, account),
    passkeys: (await twoFactor.passkeys(account.id)).map(toWire),
    recovery_codes: await twoFactor.countCodes(account.id),
  };
}

export async function postPasskeyOptions({ services, operation, caller }: PersonContext): Promise<PasskeyCreation> {
  const { token, options } = await beginPasskey(operation, services.console.passkeys, caller);
  return { token: token.reveal(), options };
}

export async function postPasskey(context: PersonContext<unknown, AddPasskeyRequest>): Promise<AddedPasskey> {
  const { services, operation, caller, body } = context;
  const { passkey, recoveryCodes } = await addPasskey(operation, services.console.passkeys, caller, body);
  return { passkey: toWire(passkey), recovery_codes: recoveryCodes };
}

/** The password is limited as when it is changed. */
export async function postPasskeyRemoval(
  context: PersonContext<unknown, RemovePasskeyRequest>,
): Promise<FastifyReply | undefined> {
  const { services, request, reply, operation, caller, id, body, now } = context;
  const { throttle } = services.console;
  const { email } = caller.account;
  const attempt = { purpose: "change password", address: request.clientAddress, email } as const;
  const wait = throttle.take(attempt, now);
  if (wait > 0) return sendLimited(reply, wait);
  if (!(await removePasskey(operation, caller, id.toLowerCase(), body.password))) {
    return sendError(reply, "INVALID_CREDENTIALS");
  }
  throttle.forgive(attempt);
  return undefined;
}

export async function postRecoveryCodes({ operation, caller }: PersonContext): Promise<NewRecoveryCodes> {
  return { recovery_codes: await renewRecoveryCodes(operation, caller) };
}

export async function deleteSecondFactor({ operation, caller, id }: PersonContext): Promise<undefined> {
  await resetSecondFactor(operation, caller.sessionHash, id);
}

function toWire({ id, name, created, lastUsed }: Passkey): OwnPasskey {
  return { id, name, created: created.toISOString(), last_used: lastUsed?.toISOString() ?? null };
}
