import { ROLES } from "@dbdepot/contract/console/accounts";
import {
  AcceptLinkRequest,
  InspectLinkRequest,
  type IssuedLink,
  LinkDetails,
  PasswordResetRequest,
} from "@dbdepot/contract/console/links";
import { ChangePasswordRequest, SessionState } from "@dbdepot/contract/console/sessions";
import type { FastifyReply } from "fastify";
import type { Account } from "../../domain/access/account.ts";
import { isOperatorRole } from "../../domain/access/roles.ts";
import { type InvitedAccount, issueLink } from "../../domain/accounts/accounts.ts";
import { linkUrl } from "../../domain/accounts/link.ts";
import { acceptLink, findLink } from "../../domain/accounts/links.ts";
import { changePassword } from "../../domain/accounts/own-account.ts";
import { sessionAccountToWire } from "../../domain/accounts/wire.ts";
import { Fault } from "../../platform/primitives/faults.ts";
import { endpoint, type PersonContext, type PublicContext } from "../endpoint.ts";
import { sendError } from "../errors.ts";
import { sendLimited } from "../plugins/rate-limits.ts";
import type { Services } from "../route.ts";
import { send } from "./services.ts";
import { clientOf, welcome } from "./session.ts";

export const LINK_ROUTES = [
  endpoint({
    method: "POST",
    url: "/api/console/links/inspect",
    scope: "public",
    respond: inspectLink,
    summary: "Inspect a one-time link",
    description: "Returns what the link is for and for whom, without using it.",
    body: InspectLinkRequest,
    response: LinkDetails,
    errors: ["INVALID_LINK", "RATE_LIMITED"],
  }),
  endpoint({
    method: "POST",
    url: "/api/console/links/accept",
    scope: "public",
    respond: postAcceptance,
    summary: "Use a one-time link",
    description:
      "Signs in. Invitations and password resets require a new password, which ends all other sessions of the account. The link works once.",
    body: AcceptLinkRequest,
    response: SessionState,
    errors: ["INVALID_LINK", "RATE_LIMITED"],
  }),
  endpoint({
    method: "POST",
    url: "/api/console/password-resets",
    scope: "public",
    respond: postPasswordReset,
    summary: "Ask for a password reset",
    description:
      "Mails a link if there is an account with this address and the server can send e-mail. The response is always 202.",
    body: PasswordResetRequest,
    errors: ["RATE_LIMITED"],
  }),
  endpoint({
    method: "PUT",
    url: "/api/console/password",
    scope: "account",
    roles: ROLES,
    respond: putPassword,
    summary: "Change your password",
    description:
      "Changes the password and ends all your other sessions. People who sign in with OpenID Connect and have no password yet can set one within 15 minutes of signing in.",
    body: ChangePasswordRequest,
    errors: ["INVALID_CREDENTIALS", "CONFLICT", "RATE_LIMITED"],
  }),
];

/** Shows what a link is for before it is used. */
async function inspectLink(context: PublicContext<unknown, InspectLinkRequest>): Promise<LinkDetails | FastifyReply> {
  const { services, request, reply, body, now } = context;
  const { throttle } = services.console;
  const attempt = { purpose: "use link", address: request.clientAddress } as const;
  const wait = throttle.take(attempt, now);
  if (wait > 0) return sendLimited(reply, wait);
  const link = await findLink(services.store, body.token, now);
  if (!link) return sendError(reply, "INVALID_LINK");
  throttle.forgive(attempt);
  const { id: _, ...account } = sessionAccountToWire(link.account);
  return { purpose: link.purpose, ...account, expires: link.expires.toISOString() };
}

async function postAcceptance(
  context: PublicContext<unknown, AcceptLinkRequest>,
): Promise<SessionState | FastifyReply> {
  const { services, request, reply, body, now } = context;
  const { throttle } = services.console;
  const attempt = { purpose: "use link", address: request.clientAddress } as const;
  const wait = throttle.take(attempt, now);
  if (wait > 0) return sendLimited(reply, wait);
  const { token, ...chosen } = body;
  const signedIn = await acceptLink({ store: services.store, now }, token, chosen, clientOf(context));
  if (!signedIn) return sendError(reply, "INVALID_LINK");
  throttle.forgive(attempt);
  return welcome(context, signedIn);
}

/** The response does not reveal whether the account exists, and does not wait for the e-mail. */
async function postPasswordReset(context: PublicContext<unknown, PasswordResetRequest>): Promise<FastifyReply> {
  const { services, request, reply, body, now } = context;
  const attempt = { purpose: "reset", address: request.clientAddress, email: body.email } as const;
  const wait = services.console.throttle.take(attempt, now);
  if (wait > 0) return sendLimited(reply, wait);
  void mailReset(context, body.email).catch((error) => {
    if (!(error instanceof Fault)) services.console.onError("a password reset failed", error);
  });
  return reply.code(202).send();
}

async function mailReset({ services, now }: PublicContext, email: string): Promise<void> {
  const { courier, throttle } = services.console;
  // If no mail server is configured, an operator issues the link and passes it on.
  if (!courier) return;
  const account = await services.store.accounts.byEmail(email.trim().toLowerCase());
  if (!account || !throttle.takeResetMail(account.id, now)) return;
  const { store, rules } = services;
  // Anyone can ask for this, so a pending invitation must keep working.
  await issueLink({ store, actor: "password-reset", now, rules }, undefined, account.id, { keepsEarlier: true });
  await courier.sendSoon(account.id);
}

async function putPassword(context: PersonContext<unknown, ChangePasswordRequest>): Promise<undefined | FastifyReply> {
  const { services, request, reply, operation, caller, body, now } = context;
  const { throttle } = services.console;
  const { email } = caller.account;
  const attempt = { purpose: "change password", address: request.clientAddress, email } as const;
  const wait = throttle.take(attempt, now);
  if (wait > 0) return sendLimited(reply, wait);
  if (!(await changePassword(operation, caller, body))) return sendError(reply, "INVALID_CREDENTIALS");
  throttle.forgive(attempt);
  return undefined;
}

/**
 * Sends a link by e-mail if a mail server is configured. An admin gets a link only if they have to pass it on, because they
 * could use it to sign in with an address that is not theirs.
 */
export async function deliver(
  services: Services,
  { account, token, expires }: InvitedAccount,
  reader: Account,
): Promise<Pick<IssuedLink, "link" | "expires" | "mailed" | "mail">> {
  const isOperator = isOperatorRole(reader.role);
  const sent = await send(services, account.id, { isOperator });
  const isShown = isOperator || sent.mail === null || sent.mail.state === "failed";
  const link = isShown ? linkUrl(services.console.publicUrl(), token.reveal()) : null;
  return { link, expires: expires.toISOString(), ...sent };
}
