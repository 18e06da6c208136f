import { allows, isScope } from "@dbdepot/contract/shared/scopes";
import type { FastifyReply, FastifyRequest } from "fastify";
import fastifyPlugin from "fastify-plugin";
import type { Account } from "../../domain/accounts/account.ts";
import { findSession } from "../../domain/accounts/authenticate.ts";
import { scopesOf } from "../../domain/accounts/roles.ts";
import { isSeenAgain } from "../../domain/accounts/session.ts";
import type { Token } from "../../domain/accounts/token.ts";
import { sessionToken } from "../cookies.ts";
import { presentedKey } from "../credentials.ts";
import { sendError } from "../errors.ts";
import type { AccountRoute, KeyRoute, Route, Services } from "../route.ts";

/**
 * Accepts the session cookie of a person on protected routes, but only if no key was sent. Requests with a key are not
 * affected and don't touch the database. v1 accepts no sessions.
 */
export const sessions = fastifyPlugin<{ services: Services }>(async (app, { services }) => {
  app.addHook("onRequest", (request, reply, done) => {
    const { route } = request.routeOptions.config;
    // Bearer-only routes report a key that was sent elsewhere as missing.
    if (request.keyRefusal?.problem !== "missing" || !acceptsSessions(route)) return done();
    const token = sessionToken(request, services.console.publicUrl());
    if (!token || presentedKey(request) !== undefined) return done();
    findCaller(request, reply, route, token).then(
      (sent) => {
        if (!sent) done();
      },
      (error) => done(error),
    );
  });

  async function findCaller(
    request: FastifyRequest,
    reply: FastifyReply,
    route: KeyRoute | AccountRoute,
    token: Token,
  ): Promise<FastifyReply | undefined> {
    const { store, console } = services;
    const who = { organizationId: null, keyId: null };
    const found = await findSession(store.sessions, token.hash(), request.arrived);
    if (!found) {
      request.keyRefusal = { problem: "session_ended", who };
      return undefined;
    }
    const { account, session } = found;
    if (!isAllowed(account, route)) {
      request.keyRefusal = { problem: "lacks_role", who: { ...who, organizationId: account.organizationId } };
      return undefined;
    }
    if (!isSafe(request.method) && !isSameOrigin(request, console.publicUrl())) return sendError(reply, "CROSS_ORIGIN");
    request.keyRefusal = undefined;
    request.caller = found;
    // Not awaited: if it fails, the next request tries again.
    if (isSeenAgain(session, request.arrived))
      void store.sessions.setLastSeen(session.id, request.arrived).catch(() => {});
    return undefined;
  }
});

/** Others are public, for v1, or about the key itself. */
function acceptsSessions(route: Route | undefined): route is KeyRoute | AccountRoute {
  return route !== undefined && (route.scope === "account" || isScope(route.scope));
}

function isAllowed({ role }: Account, route: KeyRoute | AccountRoute): boolean {
  if (route.scope === "account") return route.roles.includes(role);
  return isScope(route.scope) && allows(scopesOf(role), route.scope);
}

function isSafe(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

/**
 * Whether a page of our own sent the request. Browsers send the cookie with requests that other pages make too, and
 * `SameSite=Lax` does not stop pages of other subdomains. Every browser sends one of these headers with a change.
 */
function isSameOrigin({ headers, protocol, host }: FastifyRequest, publicUrl: string): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin";
  return headers.origin === publicUrl || headers.origin === `${protocol}://${host}`;
}
