import type { FastifyRequest } from "fastify";
import fastifyPlugin from "fastify-plugin";
import { authenticate } from "../../domain/access/authenticate-key.ts";
import { authenticateLegacy } from "../../domain/legacy-keys/authenticate-legacy.ts";
import type { LegacyKey } from "../../domain/legacy-keys/legacy-key.ts";
import { apikeyParameter, basicCredentials, bearerKey, presentedKey } from "../credentials.ts";
import { sendError } from "../errors.ts";
import type { Caller, KeyRefusal, KeyRoute, Route, Services } from "../route.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Its row in the route table; undefined for unknown addresses. */
    route?: Route;
  }
  interface FastifyRequest {
    /** The key or person that was accepted, on routes with a scope or roles. */
    caller: Caller | undefined;
    /** The key that was accepted, on v1 routes. */
    legacyKey: LegacyKey | undefined;
    keyRefusal: KeyRefusal | undefined;
  }
}

/**
 * Finds the key of every request to a protected route and checks it against the route's scope. The result is
 * `caller`, `legacyKey` or `keyRefusal`; the unauthorized plugin responds to refusals after the rate limits.
 */
export const keys = fastifyPlugin<{ services: Services }>(async (app, { services }) => {
  app.decorateRequest("caller", undefined);
  app.decorateRequest("legacyKey", undefined);
  app.decorateRequest("keyRefusal", undefined);

  app.addHook("onRequest", async (request, reply) => {
    const { route } = request.routeOptions.config;
    if (!route || route.scope === "public") return;
    if (services.database.isBeyondGrace()) return sendError(reply, "NOT_AVAILABLE");
    if (route.scope === "account") request.keyRefusal = accountRefusal(request);
    else await (route.scope === "v1 key" ? findLegacyKey(request) : findKey(request, route));
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
    const who = { organizationId: found.key?.organizationId ?? null, keyId: found.key?.id ?? null };
    request.keyRefusal = { problem: found.problem, who };
  }

  /** v1 ignores headers: its keys come in the `apikey` parameter only. */
  async function findLegacyKey(request: FastifyRequest): Promise<void> {
    const found = await authenticateLegacy(services.register, apikeyParameter(request));
    if (found.key) request.legacyKey = found.key;
    else request.keyRefusal = { problem: found.problem, who: found.who };
  }
});

/** Routes for people accept no key. The sessions plugin looks for a session if none was sent. */
function accountRefusal(request: FastifyRequest): KeyRefusal {
  const problem = presentedKey(request) === undefined ? "missing" : "lacks_role";
  return { problem, who: { organizationId: null, keyId: null } };
}
