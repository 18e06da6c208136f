import { allows, isScope } from "@dbdepot/contract/shared/scopes";
import type { FastifyReply, FastifyRequest } from "fastify";
import fastifyPlugin from "fastify-plugin";
import type { Account } from "../../domain/access/account.ts";
import { authenticate } from "../../domain/access/authenticate-key.ts";
import { scopesOf } from "../../domain/access/roles.ts";
import { findSession, isSeenAgain } from "../../domain/access/session.ts";
import type { Token } from "../../domain/access/token.ts";
import { lacksSecondFactor } from "../../domain/accounts/passkey.ts";
import { authenticateLegacy } from "../../domain/legacy-keys/authenticate-legacy.ts";
import type { LegacyKey } from "../../domain/legacy-keys/legacy-key.ts";
import { sessionToken } from "../cookies.ts";
import { apikeyParameter, basicCredentials, bearerKey, presentedKey } from "../credentials.ts";
import { sendError } from "../errors.ts";
import type { AccountRoute, Caller, KeyRefusal, KeyRoute, Route, Services } from "../route.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The key or person that was accepted, on routes with a scope or roles. */
    caller: Caller | undefined;
    /** The key that was accepted, on v1 routes. */
    legacyKey: LegacyKey | undefined;
    keyRefusal: KeyRefusal | undefined;
  }
}

/**
 * Finds the key or the session of every request to a protected route and checks it against the route's scope or roles.
 * The result is `caller`, `legacyKey` or `keyRefusal`; the unauthorized plugin responds to refusals after the rate
 * limits.
 */
export const callers = fastifyPlugin<{ services: Services }>(async (app, { services }) => {
  app.decorateRequest("caller", undefined);
  app.decorateRequest("legacyKey", undefined);
  app.decorateRequest("keyRefusal", undefined);

  app.addHook("onRequest", async (request, reply) => {
    const { route } = request;
    if (!route || route.scope === "public") return;
    if (services.database.isBeyondGrace()) return sendError(reply, "NOT_AVAILABLE");
    if (route.scope === "account") request.keyRefusal = accountRefusal(request);
    else await (route.scope === "v1 key" ? findLegacyKey(request) : findKey(request, route));
    // Bearer-only routes report a key that was sent elsewhere as missing.
    if (request.keyRefusal?.problem !== "missing" || !acceptsSessions(route)) return;
    const token = sessionToken(request, services.console.publicUrl());
    if (token && presentedKey(request) === undefined) return findAccount(request, reply, route, token);
  });

  async function findKey(request: FastifyRequest, route: KeyRoute): Promise<void> {
    const basic = route.acceptsBasic ? basicCredentials(request) : undefined;
    const presented = basic?.key ?? (route.bearerOnly ? bearerKey(request) : presentedKey(request));
    const use = { address: request.clientAddress, scope: route.scope, account: basic?.account, now: request.arrived };
    const found = await authenticate(services.register, presented, use);
    if (found.caller) {
      request.caller = found.caller;
      return;
    }
    const requester = { organizationId: found.key?.organizationId ?? null, keyId: found.key?.id ?? null };
    request.keyRefusal = { problem: found.problem, requester };
  }

  /** v1 ignores headers: its keys come in the `apikey` parameter only. */
  async function findLegacyKey(request: FastifyRequest): Promise<void> {
    const found = await authenticateLegacy(services.register, apikeyParameter(request));
    if (found.key) request.legacyKey = found.key;
    else request.keyRefusal = { problem: found.problem, requester: found.who };
  }

  /**
   * Accepts the session cookie of a person, but only if no key was sent. Requests with a key are not affected and don't
   * touch the database. v1 accepts no sessions.
   */
  async function findAccount(
    request: FastifyRequest,
    reply: FastifyReply,
    route: KeyRoute | AccountRoute,
    token: Token,
  ): Promise<FastifyReply | undefined> {
    const { store, console } = services;
    const requester = { organizationId: null, keyId: null };
    const found = await findSession(store.sessions, token.hash(), request.arrived);
    if (!found) {
      request.keyRefusal = { problem: "session_ended", requester };
      return undefined;
    }
    const { account, session } = found;
    if (!isAllowed(account, route)) {
      request.keyRefusal = {
        problem: "lacks_role",
        requester: { ...requester, organizationId: account.organizationId },
      };
      return undefined;
    }
    // Nothing but adding a passkey is possible with a password alone, if it needs a second factor.
    if (lacksSecondFactor(services.rules.twoFactor, found) && !("allowsMissingFactor" in route)) {
      const { organizationId } = account;
      request.keyRefusal = { problem: "lacks_second_factor", requester: { ...requester, organizationId } };
      return undefined;
    }
    if (!isSafe(request.method) && !isSameOrigin(request, console.publicUrl())) return sendError(reply, "CROSS_ORIGIN");
    if (found.operator && !isForViewers(request, route)) return sendError(reply, "READ_ONLY_VIEW");
    request.keyRefusal = undefined;
    request.caller = found;
    // This is not awaited. If it fails, the next request tries again.
    if (isSeenAgain(session, request.arrived))
      void store.sessions.setLastSeen(session.id, request.arrived).catch(() => {});
    return undefined;
  }
});

/** Routes for people accept only sessions, so a request with a key lacks the role. */
function accountRefusal(request: FastifyRequest): KeyRefusal {
  const problem = presentedKey(request) === undefined ? "missing" : "lacks_role";
  return { problem, requester: { organizationId: null, keyId: null } };
}

/** Other routes are public, belong to v1, or describe the key itself. */
function acceptsSessions(route: Route | undefined): route is KeyRoute | AccountRoute {
  return route !== undefined && (route.scope === "account" || isScope(route.scope));
}

function isAllowed({ role }: Account, route: KeyRoute | AccountRoute): boolean {
  if (route.scope === "account") return route.roles.includes(role);
  return isScope(route.scope) && allows(scopesOf(role), route.scope);
}

/** Requests of operators who view the console as a customer. */
const LEAVING = ["/api/console/view", "/api/console/session"];

/** Whether the request changes nothing of the customer's. Routes that report refusals record every download, too. */
function isForViewers({ method }: FastifyRequest, { url, onUnauthorized }: Route): boolean {
  return (isSafe(method) && onUnauthorized === undefined) || LEAVING.includes(url);
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
