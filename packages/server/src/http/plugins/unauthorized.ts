import type { FastifyReply } from "fastify";
import fastifyPlugin from "fastify-plugin";
import type { RequiredScope } from "../../domain/access/authenticate-key.ts";
import { sendError } from "../errors.ts";
import type { KeyRefusal, Services } from "../route.ts";

/** RFC 9110 requires a challenge on every 401, and no registered scheme covers a query parameter. */
const LEGACY_CHALLENGE = 'ApiKey realm="dbdepot"';
const BASIC_CHALLENGE = 'Basic realm="dbdepot", charset="UTF-8"';

/** Responds 401 to requests whose key or session was refused and notes the use of all others, before their body is read. */
export const unauthorized = fastifyPlugin<{ services: Services }>(async (app, { services }) => {
  app.addHook("onRequest", async (request, reply) => {
    const { route, caller, legacyKey, keyRefusal, arrived: now } = request;
    const used = caller && "key" in caller ? caller.key : legacyKey;
    if (used) services.lastUsed.note(used.id, now);
    if (!keyRefusal || !route || route.scope === "public") return;
    services.metrics.refusedKeys.inc({ cause: keyRefusal.problem });
    await route.onUnauthorized?.({ services, request, reply, now }, keyRefusal);
    if ("acceptsBasic" in route && route.acceptsBasic) {
      return sendError(reply.header("www-authenticate", BASIC_CHALLENGE), "UNAUTHORIZED");
    }
    if (route.scope !== "v1 key") return sendUnauthorized(reply, keyRefusal.problem, route.scope);
    return sendError(reply.header("www-authenticate", LEGACY_CHALLENGE), "INVALID_APIKEY");
  });
});

/** No key was sent, so the challenge has no error code. */
const KEYLESS: readonly KeyRefusal["problem"][] = ["missing", "session_ended", "lacks_role", "lacks_second_factor"];

/** The body is the same for every cause; the challenge says as much as RFC 6750 allows. */
export function sendUnauthorized(
  reply: FastifyReply,
  problem: KeyRefusal["problem"],
  scope: RequiredScope | "account",
): FastifyReply {
  return sendError(reply.header("www-authenticate", challenge(problem, scope)), "UNAUTHORIZED");
}

function challenge(problem: KeyRefusal["problem"], scope: RequiredScope | "account"): string {
  if (KEYLESS.includes(problem)) return 'Bearer realm="dbdepot"';
  if (problem === "lacks_scope") return `Bearer realm="dbdepot", error="insufficient_scope", scope="${scope}"`;
  return 'Bearer realm="dbdepot", error="invalid_token"';
}
