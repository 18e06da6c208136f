import type { SessionList, SessionState, SignInRequest, ViewRequest } from "@dbdepot/contract/console/sessions";
import type { FastifyReply } from "fastify";
import { type AccountCaller, type Client, findSession } from "../../domain/access/session.ts";
import { endSession, liveSessions, type SignedIn, signIn } from "../../domain/accounts/sessions.ts";
import { leaveView, viewAs } from "../../domain/accounts/view.ts";
import { sessionAccountToWire, sessionToWire } from "../../domain/accounts/wire.ts";
import { endedSessionCookie, sessionCookie, sessionToken } from "../cookies.ts";
import type { PersonContext, PublicContext } from "../endpoint.ts";
import { sendError } from "../errors.ts";
import { sendLimited } from "../plugins/rate-limits.ts";
import type { RequestContext, Services } from "../route.ts";

/** Returns the person who is signed in, if any. The console requests this first. */
export async function getSession({ services, request, now }: PublicContext): Promise<SessionState> {
  const token = sessionToken(request, services.console.publicUrl());
  const found = token && (await findSession(services.store.sessions, token.hash(), now));
  return sessionState(services, found || undefined);
}

export async function postSession(
  context: PublicContext<unknown, SignInRequest>,
): Promise<SessionState | FastifyReply> {
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

export async function deleteSession({ services, reply, operation, caller }: PersonContext): Promise<undefined> {
  await endSession(operation, caller, caller.session.id);
  reply.header("set-cookie", endedSessionCookie(services.console.publicUrl()));
}

export async function listSessions({ services, caller, now }: PersonContext): Promise<SessionList> {
  const sessions = await liveSessions(services.store, caller.account.id, now);
  return { sessions: sessions.map((session) => sessionToWire(session, caller.session.id)) };
}

export async function deleteOwnSession({ operation, caller, id }: PersonContext): Promise<undefined> {
  await endSession(operation, caller, id.toLowerCase());
}

/** Adds the cookie of a new session to the response. */
export function welcome({ services, reply }: RequestContext, { account, token }: SignedIn): SessionState {
  reply.header("set-cookie", sessionCookie(token, services.console.publicUrl()));
  return sessionState(services, { account });
}

export function clientOf({ request }: RequestContext): Client {
  return { address: request.clientAddress, userAgent: request.headers["user-agent"] };
}

/** An operator continues as an admin of the organization, but without its rights to change something. */
export async function postView(context: PersonContext<unknown, ViewRequest>): Promise<SessionState> {
  await viewAs(context.operation, context.caller, context.body.organization);
  return getSession(context);
}

export async function deleteView(context: PersonContext): Promise<SessionState> {
  await leaveView(context.operation, context.caller);
  return getSession(context);
}

function sessionState(
  { console }: Services,
  caller: Pick<AccountCaller, "account" | "operator"> | undefined,
): SessionState {
  const { account, operator } = caller ?? {};
  const viewed = operator && account?.organization;
  return {
    account: account ? sessionAccountToWire(account) : null,
    viewing_as: viewed ? { id: viewed.id, name: viewed.name } : null,
    sign_in: { password: true, oidc: console.provider ? { name: console.provider.name } : null },
    // The version is hidden from strangers, who could look up its known vulnerabilities.
    version: account ? console.version : null,
    api_url: console.publicUrl(),
    demo: console.isDemo,
  };
}
