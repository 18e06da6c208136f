import type { Scope } from "@dbdepot/contract/scopes";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Authentication, authenticate, type Refused } from "../keys/authenticate.ts";
import type { KeyProblem } from "../keys/check.ts";
import { clientAddress } from "./client-address.ts";
import { bearerKey, presentedKey } from "./credentials.ts";
import { sendError } from "./errors.ts";
import type { Limiters } from "./limiters.ts";
import type { KeyRoute, Parts } from "./route.ts";

type Done = (error?: Error) => void;

/**
 * Stands before the body is read: lets a request through if its key has the route's
 * scope, and answers it otherwise. It waits only for keys that it does not know yet.
 */
export function keyGuard(route: KeyRoute, parts: Parts, limiters: Limiters | null) {
  return (request: FastifyRequest, reply: FastifyReply, done: Done): void => {
    const now = parts.clock();
    const address = clientAddress(request);
    const waitSeconds = limiters?.refusals.waitSeconds(address, now.getTime()) ?? 0;
    if (waitSeconds > 0) {
      limiters?.refusals.send(reply, waitSeconds);
      return;
    }
    const presented = route.bearerOnly ? bearerKey(request) : presentedKey(request);
    const found = authenticate(parts.register, presented, { address, scope: route.scope, now });
    if (found instanceof Promise) found.then(enter).catch(done);
    else enter(found);

    function enter(authentication: Authentication): void {
      if (!authentication.caller) {
        refuse(authentication).catch(done);
        return;
      }
      const { caller } = authentication;
      request.caller = caller;
      if (!route.isUnlimited && limiters) {
        const waitSeconds = limiters.keys.takeOrWait(caller.key.id, now.getTime());
        if (waitSeconds > 0) {
          limiters.keys.send(reply, waitSeconds);
          return;
        }
      }
      request.arrived = now;
      done();
    }

    async function refuse(refused: Refused): Promise<void> {
      request.keyProblem = refused.problem;
      limiters?.refusals.take(address, now.getTime());
      await route.onUnauthorized?.(parts, request, refused, now);
      sendError(reply.header("www-authenticate", challenge(refused.problem, route.scope)), "UNAUTHORIZED");
    }
  };
}

/** The answer is the same whatever the cause; only what RFC 6750 has words for is told. */
function challenge(problem: KeyProblem, scope: Scope): string {
  if (problem === "missing") return 'Bearer realm="dbdepot"';
  if (problem === "lacks_scope") return `Bearer realm="dbdepot", error="insufficient_scope", scope="${scope}"`;
  return 'Bearer realm="dbdepot", error="invalid_token"';
}
