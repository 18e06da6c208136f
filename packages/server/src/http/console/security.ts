import { ROLES } from "@dbdepot/contract/console/accounts";
import {
  AccountSecurity,
  AddedPasskey,
  AddPasskeyRequest,
  Confirmation,
  NewRecoveryCodes,
  type OwnPasskey,
  PasskeyCreation,
  PasskeyUse,
  RenameRequest,
  SecondFactorAnswer,
} from "@dbdepot/contract/console/security";
import { SessionAccount, SessionState } from "@dbdepot/contract/console/sessions";
import { PersonalData } from "@dbdepot/contract/operator/privacy";
import { NoQuery } from "@dbdepot/contract/operator/queries";
import type { FastifyReply } from "fastify";
import type { AccountCaller } from "../../domain/access/session.ts";
import { beginConfirmation, confirmPerson } from "../../domain/accounts/confirmation.ts";
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
import type { Services } from "../route.ts";
import { clientOf, welcome } from "./session.ts";

export const SECURITY_ROUTES = [
  endpoint({
    method: "POST",
    url: "/api/console/session/second-factor",
    scope: "public",
    respond: postSecondFactor,
    summary: "Finish signing in with the second factor",
    description:
      "Verifies a passkey or a recovery code and sets the session cookie. Each pending sign-in allows 10 wrong answers, and repeated failures are answered with 429, as for passwords.",
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
    url: "/api/console/confirmation/options",
    scope: "account",
    roles: ROLES,
    respond: postConfirmationOptions,
    summary: "Begin to confirm with a passkey",
    description:
      "Returns what the browser needs to use one of your passkeys, within five minutes. Send what it signs instead of your password to an endpoint that asks for it.",
    response: PasskeyUse,
    errors: ["CONFLICT"],
  }),
  endpoint({
    method: "POST",
    url: "/api/console/passkeys/options",
    scope: "account",
    roles: ROLES,
    allowsMissingFactor: true,
    respond: postPasskeyOptions,
    summary: "Begin to add a passkey",
    description: "Returns what the browser needs to create a passkey, within five minutes. Confirm that it is you.",
    body: Confirmation,
    response: PasskeyCreation,
    errors: ["CONFLICT", "INVALID_CREDENTIALS", "RATE_LIMITED"],
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
      "Confirm that it is you. Removing the last passkey also removes the recovery codes. It is refused if your account needs a second factor.",
    body: Confirmation,
    errors: ["NOT_FOUND", "CONFLICT", "INVALID_CREDENTIALS", "RATE_LIMITED"],
  }),
  endpoint({
    method: "POST",
    url: "/api/console/recovery-codes",
    scope: "account",
    roles: ROLES,
    respond: postRecoveryCodes,
    summary: "Get new recovery codes",
    description: "Returns ten new codes. The old ones stop working. Confirm that it is you.",
    body: Confirmation,
    response: NewRecoveryCodes,
    errors: ["CONFLICT", "INVALID_CREDENTIALS", "RATE_LIMITED"],
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
  const who = { address: request.clientAddress, ...(account && { email: account.email, pending: body.token }) };
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
  const { twoFactor } = services.store;
  const { account } = caller;
  const isWithPassword = await hasPassword(services, caller);
  return {
    has_password: isWithPassword,
    two_factor_required: requiresTwoFactor(services.rules.twoFactor, account),
    passkeys: (await twoFactor.passkeys(account.id)).map((passkey) => toWire(passkey, isWithPassword)),
    recovery_codes: await twoFactor.countCodes(account.id),
  };
}

async function postConfirmationOptions({ services, operation, caller }: PersonContext): Promise<PasskeyUse> {
  const { token, options } = await beginConfirmation(operation, services.console.passkeys, caller);
  return { token: token.reveal(), options };
}

type Confirmed = PersonContext<unknown, Confirmation>;

/** Wrong proofs are limited as when the password is changed. */
async function confirmed<T>(context: Confirmed, act: () => Promise<T>): Promise<T | FastifyReply> {
  const { services, request, reply, operation, caller, body, now } = context;
  const { throttle, passkeys } = services.console;
  const { email } = caller.account;
  const attempt = { purpose: "change password", address: request.clientAddress, email } as const;
  const wait = throttle.take(attempt, now);
  if (wait > 0) return sendLimited(reply, wait);
  if (!(await confirmPerson(operation, passkeys, caller, body))) return sendError(reply, "INVALID_CREDENTIALS");
  throttle.forgive(attempt);
  return act();
}

function postPasskeyOptions(context: Confirmed): Promise<PasskeyCreation | FastifyReply> {
  const { services, operation, caller } = context;
  return confirmed(context, async () => {
    const { token, options } = await beginPasskey(operation, services.console.passkeys, caller);
    return { token: token.reveal(), options };
  });
}

async function postPasskey(context: PersonContext<unknown, AddPasskeyRequest>): Promise<AddedPasskey> {
  const { services, operation, caller, body } = context;
  const { passkey, recoveryCodes } = await addPasskey(operation, services.console.passkeys, caller, body);
  return { passkey: toWire(passkey, await hasPassword(services, caller)), recovery_codes: recoveryCodes };
}

function postPasskeyRemoval(context: Confirmed): Promise<FastifyReply | undefined> {
  const { operation, caller, id } = context;
  return confirmed(context, async () => {
    await removePasskey(operation, caller, id.toLowerCase());
    return undefined;
  });
}

function postRecoveryCodes(context: Confirmed): Promise<NewRecoveryCodes | FastifyReply> {
  const { operation, caller } = context;
  return confirmed(context, async () => ({ recovery_codes: await renewRecoveryCodes(operation, caller) }));
}

async function deleteSecondFactor({ operation, caller, id }: PersonContext): Promise<undefined> {
  await resetSecondFactor(operation, caller.sessionHash, id);
}

async function hasPassword({ store }: Services, { account }: AccountCaller): Promise<boolean> {
  return (await store.accounts.passwordHash(account.id)) !== null;
}

function toWire({ id, name, created, lastUsed, signsInAlone }: Passkey, hasPassword: boolean): OwnPasskey {
  const times = { created: created.toISOString(), last_used: lastUsed?.toISOString() ?? null };
  return { id, name, ...times, signs_in_alone: signsInAlone && hasPassword };
}
