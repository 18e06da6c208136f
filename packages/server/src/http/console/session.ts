import { OPERATOR_ROLES, ROLES } from "@dbdepot/contract/console/accounts";
import { SessionList, SessionState, SignInRequest, ViewRequest } from "@dbdepot/contract/console/sessions";
import { NoQuery } from "@dbdepot/contract/operator/queries";
import type { FastifyReply } from "fastify";
import { type AccountCaller, type Client, findSession } from "../../domain/access/session.ts";
import { hasOperator } from "../../domain/accounts/accounts.ts";
import { lacksSecondFactor } from "../../domain/accounts/passkey.ts";
import type { AwaitingSecondFactor } from "../../domain/accounts/second-factor.ts";
import { endSession, liveSessions, type SignedIn } from "../../domain/accounts/sessions.ts";
import { signIn } from "../../domain/accounts/sign-in.ts";
import { leaveView, viewAs } from "../../domain/accounts/view.ts";
import { sessionAccountToWire, sessionToWire } from "../../domain/accounts/wire.ts";
import { endedSessionCookie, sessionCookie, sessionToken } from "../cookies.ts";
import { endpoint, type PersonContext, type PublicContext } from "../endpoint.ts";
import { sendError } from "../errors.ts";
import { sendLimited } from "../plugins/rate-limits.ts";
import type { RequestContext, Services } from "../route.ts";

export const SESSION_ROUTES = [
  endpoint({
    method: "GET",
    url: "/api/console/session",
    scope: "public",
    respond: getSession,
    summary: "Get the current session",
    description: "Returns who is signed in, if anyone is, and how to sign in.",
    query: NoQuery,
    response: SessionState,
  }),
  endpoint({
    method: "POST",
    url: "/api/console/session",
    scope: "public",
    respond: postSession,
    summary: "Sign in",
    description:
      "Signs in with e-mail address and password and sets the session cookie. If the account has a passkey, the person is not signed in yet: `second_factor` says what to send to `POST /api/console/session/second-factor`. Repeated failures for an account or from an address are answered with 429.",
    body: SignInRequest,
    response: SessionState,
    errors: ["INVALID_CREDENTIALS", "RATE_LIMITED"],
  }),
  endpoint({
    method: "DELETE",
    url: "/api/console/session",
    scope: "account",
    roles: ROLES,
    allowsMissingFactor: true,
    respond: deleteSession,
    summary: "Sign out",
    description: "Ends the current session and removes its cookie.",
  }),
  endpoint({
    method: "POST",
    url: "/api/console/view",
    scope: "account",
    roles: OPERATOR_ROLES,
    respond: postView,
    summary: "View the console as a customer",
    description:
      "Shows an operator the console of an organization, as its admins see it, until they leave it or sign out. Changes and downloads get 403 `READ_ONLY_VIEW`. The audit log records both.",
    body: ViewRequest,
    response: SessionState,
    errors: ["NOT_FOUND", "CONFLICT"],
  }),
  endpoint({
    method: "DELETE",
    url: "/api/console/view",
    scope: "account",
    roles: ROLES,
    respond: deleteView,
    summary: "Leave the view of a customer",
    description: "Shows an operator their own console again. Leaving again has no effect.",
    response: SessionState,
  }),
  endpoint({
    method: "GET",
    url: "/api/console/sessions",
    scope: "account",
    roles: ROLES,
    respond: listSessions,
    summary: "List your sessions",
    description: "Returns the browsers in which you are signed in, newest first.",
    query: NoQuery,
    response: SessionList,
  }),
  endpoint({
    method: "DELETE",
    url: "/api/console/sessions/:id",
    scope: "account",
    roles: ROLES,
    respond: deleteOwnSession,
    summary: "End one of your sessions",
    description: "Signs out one browser. Ending a session again has no effect.",
  }),
];

/** Returns the person who is signed in, if any. The console requests this first. */
async function getSession({ services, request, now }: PublicContext): Promise<SessionState> {
  const token = sessionToken(request, services.console.publicUrl());
  const found = token && (await findSession(services.store.sessions, token.hash(), now));
  const needsPasskey = found && lacksSecondFactor(services.rules.twoFactor, found);
  const state = await sessionState(services, found || undefined, needsPasskey);
  // Without the database, the page may say how to sign in all the same.
  return { ...state, needs_operator: !found && !(await hasOperator(services.store).catch(() => true)) };
}

async function postSession(context: PublicContext<unknown, SignInRequest>): Promise<SessionState | FastifyReply> {
  const { services, request, reply, body, now } = context;
  const { throttle } = services.console;
  const attempt = { purpose: "sign in", address: request.clientAddress, email: body.email } as const;
  const wait = throttle.take(attempt, now);
  if (wait > 0) return sendLimited(reply, wait);
  const signedIn = await signIn({ store: services.store, now }, body, clientOf(context));
  if (!signedIn) return sendError(reply, "INVALID_CREDENTIALS");
  throttle.forgive(attempt);
  return welcome(context, signedIn);
}

async function deleteSession({ services, reply, operation, caller }: PersonContext): Promise<undefined> {
  await endSession(operation, caller, caller.session.id);
  reply.header("set-cookie", endedSessionCookie(services.console.publicUrl()));
}

async function listSessions({ services, caller, now }: PersonContext): Promise<SessionList> {
  const sessions = await liveSessions(services.store, caller.account.id, now);
  return { sessions: sessions.map((session) => sessionToWire(session, caller.session.id)) };
}

async function deleteOwnSession({ operation, caller, id }: PersonContext): Promise<undefined> {
  await endSession(operation, caller, id.toLowerCase());
}

/** Adds the cookie of a new session to the response, or asks for the second factor. */
export async function welcome(
  { services, reply }: RequestContext,
  entered: SignedIn | AwaitingSecondFactor,
): Promise<SessionState> {
  if ("awaiting" in entered) {
    const { token, challenge, passkeys } = entered.awaiting;
    const options = await services.console.passkeys.requestOptions(passkeys, challenge);
    return { ...(await sessionState(services, undefined)), second_factor: { token: token.reveal(), options } };
  }
  const { account, session, token } = entered;
  reply.header("set-cookie", sessionCookie(token, services.console.publicUrl()));
  return sessionState(services, { account }, lacksSecondFactor(services.rules.twoFactor, { account, session }));
}

export function clientOf({ request }: RequestContext): Client {
  return { address: request.clientAddress, userAgent: request.headers["user-agent"] };
}

/** An operator continues as an admin of the organization, but without its rights to change something. */
async function postView(context: PersonContext<unknown, ViewRequest>): Promise<SessionState> {
  await viewAs(context.operation, context.caller, context.body.organization);
  return getSession(context);
}

async function deleteView(context: PersonContext): Promise<SessionState> {
  await leaveView(context.operation, context.caller);
  return getSession(context);
}

async function sessionState(
  { console, store, objects }: Services,
  caller: Pick<AccountCaller, "account" | "operator"> | undefined,
  needsPasskey = false,
): Promise<SessionState> {
  const { account, operator } = caller ?? {};
  const viewed = operator && account?.organization;
  const isVendor = operator !== undefined || account?.organizationId === null;
  const copied = isVendor ? await store.copies.copied() : undefined;
  return {
    account: account ? sessionAccountToWire(account) : null,
    second_factor: null,
    needs_passkey: needsPasskey,
    viewing_as: viewed ? { id: viewed.id, name: viewed.name } : null,
    sign_in: {
      password: true,
      mail: console.courier !== undefined,
      oidc: console.provider ? { name: console.provider.name } : null,
    },
    needs_operator: false,
    // The version is hidden from strangers, who could look up its known vulnerabilities.
    version: account ? console.version : null,
    api_url: console.publicUrl(),
    demo: console.isDemo,
    copied: copied?.toISOString() ?? null,
    link_regions: isVendor ? [...objects.linkRegions] : [],
  };
}
