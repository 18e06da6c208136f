import { ROLES } from "@dbdepot/contract/console/accounts";
import {
  AccountSecurity,
  AddedPasskey,
  AddPasskeyRequest,
  NewRecoveryCodes,
  type OwnPasskey,
  PasskeyCreation,
  RemovePasskeyRequest,
  RenameRequest,
  SecondFactorAnswer,
} from "@dbdepot/contract/console/security";
import { SessionAccount, SessionState } from "@dbdepot/contract/console/sessions";
import { PersonalData } from "@dbdepot/contract/operator/privacy";
import { NoQuery } from "@dbdepot/contract/operator/queries";
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
import { endpoint, type PersonContext, type PublicContext } from "../endpoint.ts";
import { sendError } from "../errors.ts";
import { sendLimited } from "../plugins/rate-limits.ts";
import { clientOf, welcome } from "./session.ts";

export const SECURITY_ROUTES = [
  endpoint({
    method: "POST",
    url: "/api/console/session/second-factor",
    scope: "public",
    respond: postSecondFactor,
    summary: "Finish signing in with the second factor",
    description:
      "Verifies a passkey or a recovery code and sets the session cookie. Repeated failures are answered with 429, as for passwords.",
    body: SecondFactorAnswer,
    response: SessionState,
    errors: ["INVALID_CREDENTIALS", "RATE_LIMITED"],
  }),
  endpoint({
    method: "PATCH",
    url: "/api/console/account",
    scope: "account",
    roles: ROLES,
    respond: patchOwnAccount,
    summary: "Change your name",
    description: "Changes the name that others see.",
    body: RenameRequest,
    response: SessionAccount,
  }),
  endpoint({
    method: "GET",
    url: "/api/console/account/data",
    scope: "account",
    roles: ROLES,
    respond: getOwnData,
    summary: "Download your data",
    description: "Returns everything that is stored about you, without secrets and without naming other people.",
    query: NoQuery,
    response: PersonalData,
  }),
  endpoint({
    method: "GET",
    url: "/api/console/security",
    scope: "account",
    roles: ROLES,
    respond: getSecurity,
    summary: "Show how you sign in",
    description: "Returns whether you have a password, your passkeys, and how many recovery codes are left.",
    query: NoQuery,
    response: AccountSecurity,
  }),
  endpoint({
    method: "POST",
    url: "/api/console/passkeys/options",
    scope: "account",
    roles: ROLES,
    allowsMissingFactor: true,
    respond: postPasskeyOptions,
    summary: "Begin to add a passkey",
    description: "Returns what the browser needs to create a passkey, within five minutes.",
    response: PasskeyCreation,
    errors: ["CONFLICT"],
  }),
  endpoint({
    method: "POST",
    url: "/api/console/passkeys",
    scope: "account",
    roles: ROLES,
    allowsMissingFactor: true,
    respond: postPasskey,
    summary: "Add a passkey",
    description:
      "From then on, signing in with your password also needs a passkey or a recovery code. The first passkey comes with recovery codes and ends all your other sessions.",
    body: AddPasskeyRequest,
    response: AddedPasskey,
  }),
  endpoint({
    method: "POST",
    url: "/api/console/passkeys/:id/remove",
    scope: "account",
    roles: ROLES,
    respond: postPasskeyRemoval,
    summary: "Remove a passkey",
    description:
      "Removing the last passkey needs your password, and also removes the recovery codes. It is refused if your account needs a second factor.",
    body: RemovePasskeyRequest,
    errors: ["NOT_FOUND", "CONFLICT", "INVALID_CREDENTIALS", "RATE_LIMITED"],
  }),
  endpoint({
    method: "POST",
    url: "/api/console/recovery-codes",
    scope: "account",
    roles: ROLES,
    respond: postRecoveryCodes,
    summary: "Get new recovery codes",
    description: "Returns ten new codes. The old ones stop working.",
    response: NewRecoveryCodes,
    errors: ["CONFLICT"],
  }),
  endpoint({
    method: "DELETE",
    url: "/api/console/accounts/:id/second-factor",
    scope: "account",
    roles: ["operator"],
    respond: deleteSecondFactor,
    summary: "Reset someone's second factor",
    description:
      "Removes the passkeys and recovery codes of someone who has lost them, and ends their sessions. First make sure that the request really comes from them. You cannot reset your own second factor.",
    errors: ["NOT_FOUND", "CONFLICT"],
  }),
];

/** The second step of signing in. It is limited like passwords. */
async function postSecondFactor(
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
async function getOwnData({ services, reply, caller, now }: PersonContext): Promise<PersonalData> {
  reply.header("content-disposition", 'attachment; filename="my-data.json"');
  return exportPerson(services.store, caller.account.email, now);
}

async function patchOwnAccount(context: PersonContext<unknown, RenameRequest>): Promise<SessionAccount> {
  return sessionAccountToWire(await renameSelf(context.operation, context.caller, context.body.name));
}

async function getSecurity({ services, caller }: PersonContext): Promise<AccountSecurity> {
  const { accounts, twoFactor } = services.store;
  const { account } = caller;
  return {
    has_password: (await accounts.passwordHash(account.id)) !== null,
    two_factor_required: requiresTwoFactor(services.rules.twoFactor, account),
    passkeys: (await twoFactor.passkeys(account.id)).map(toWire),
    recovery_codes: await twoFactor.countCodes(account.id),
  };
}

async function postPasskeyOptions({ services, operation, caller }: PersonContext): Promise<PasskeyCreation> {
  const { token, options } = await beginPasskey(operation, services.console.passkeys, caller);
  return { token: token.reveal(), options };
}

async function postPasskey(context: PersonContext<unknown, AddPasskeyRequest>): Promise<AddedPasskey> {
  const { services, operation, caller, body } = context;
  const { passkey, recoveryCodes } = await addPasskey(operation, services.console.passkeys, caller, body);
  return { passkey: toWire(passkey), recovery_codes: recoveryCodes };
}

/** The password is limited as when it is changed. */
async function postPasskeyRemoval(
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

async function postRecoveryCodes({ operation, caller }: PersonContext): Promise<NewRecoveryCodes> {
  return { recovery_codes: await renewRecoveryCodes(operation, caller) };
}

async function deleteSecondFactor({ operation, caller, id }: PersonContext): Promise<undefined> {
  await resetSecondFactor(operation, caller.sessionHash, id);
}

function toWire({ id, name, created, lastUsed }: Passkey): OwnPasskey {
  return { id, name, created: created.toISOString(), last_used: lastUsed?.toISOString() ?? null };
}
