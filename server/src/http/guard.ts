import type { Scope } from "@dbdepot/contract/scopes";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Authentication, authenticate, type Refused } from "../keys/authenticate.ts";
import type { KeyProblem } from "../keys/check.ts";
import { clientAddress } from "./client-address.ts";
import { presentedKey } from "./credentials.ts";
import { sendError } from "./errors.ts";
import type { Limiters } from "./limiters.ts";
import type { Parts, Route } from "./route.ts";

/** Lets a request through to its handler if its key has the route's scope. */
export function guarded(route: Route, parts: Parts, limiters: Limiters | null) {
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply | Promise<FastifyReply> => {
    const now = parts.clock();
    const address = clientAddress(request);
    const limited = limiters?.beforeKey(address, now);
    if (limited) return limited(reply);
    const presented = presentedKey(request);
    const found = authenticate(parts.register, presented, { address, scope: route.scope, now });
    const proceed = (authentication: Authentication) => enter(authentication);
    return found instanceof Promise ? found.then(proceed) : proceed(found);

    function enter(authentication: Authentication): FastifyReply | Promise<FastifyReply> {
      if (!authentication.caller) return refuse(authentication);
      const { caller } = authentication;
      request.caller = caller;
      if (!route.isUnlimited) {
        const limited = limiters?.forKey(caller.key.id, now);
        if (limited) return limited(reply);
      }
      return route.handler({ parts, request, reply, caller, organizationId: caller.key.organizationId ?? "", now });
    }

    async function refuse(refused: Refused): Promise<FastifyReply> {
      request.keyProblem = refused.problem;
      limiters?.countRefusal(address, now);
      await route.onUnauthorized?.(parts, request, refused, now);
      return sendUnauthorized(reply, refused.problem, route.scope);
    }
  };
}

/** The same answer whatever the cause; only what RFC 6750 has words for is told. */
function sendUnauthorized(reply: FastifyReply, problem: KeyProblem, scope: Scope): FastifyReply {
  return sendError(reply.header("www-authenticate", challenge(problem, scope)), "UNAUTHORIZED");
}

function challenge(problem: KeyProblem, scope: Scope): string {
  if (problem === "missing") return 'Bearer realm="dbdepot"';
  if (problem === "lacks_scope") return `Bearer realm="dbdepot", error="insufficient_scope", scope="${scope}"`;
  return 'Bearer realm="dbdepot", error="invalid_token"';
}
