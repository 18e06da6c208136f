import type { Scope } from "@dbdepot/contract/scopes";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Authentication, authenticate } from "../keys/authenticate.ts";
import type { KeyProblem } from "../keys/check.ts";
import { clientAddress } from "./client-address.ts";
import { bearerKey, presentedKey } from "./credentials.ts";
import { sendError } from "./errors.ts";
import type { Limiters } from "./limiters.ts";
import type { KeyRoute, Parts } from "./route.ts";

type Done = (error?: Error) => void;

/** What came of a request's key: it opens the door, or the request is answered here. */
export type Admission = { keyId: string } | { problem: KeyProblem; answer(): Promise<unknown> };

/** A kind of key, and how it is checked. */
export interface Lock {
  /** Polling for news is free of the rate limit. */
  isUnlimited?: boolean | undefined;
  try(request: FastifyRequest, reply: FastifyReply, at: { address: string; now: Date }): Admission | Promise<Admission>;
}

/**
 * Stands before the body is read: lets a request through if its key opens the lock, and
 * answers it otherwise. It waits only for keys that it does not know yet.
 */
export function guard(lock: Lock, parts: Parts, limiters: Limiters | null) {
  return (request: FastifyRequest, reply: FastifyReply, done: Done): void => {
    if (parts.database.isBeyondGrace()) {
      sendError(reply, "NOT_AVAILABLE");
      return;
    }
    const now = parts.clock();
    const address = clientAddress(request);
    const waitSeconds = limiters?.refusals.waitSeconds(address, now.getTime()) ?? 0;
    if (waitSeconds > 0) {
      limiters?.refusals.send(reply, waitSeconds);
      return;
    }
    const admission = lock.try(request, reply, { address, now });
    if (admission instanceof Promise) admission.then(enter).catch(done);
    else enter(admission);

    function enter(admission: Admission): void {
      if ("problem" in admission) {
        request.keyProblem = admission.problem;
        limiters?.refusals.take(address, now.getTime());
        admission.answer().catch(done);
        return;
      }
      if (!lock.isUnlimited && limiters) {
        const waitSeconds = limiters.keys.takeOrWait(admission.keyId, now.getTime());
        if (waitSeconds > 0) {
          limiters.keys.send(reply, waitSeconds);
          return;
        }
      }
      parts.lastUsed.note(admission.keyId, now);
      request.arrived = now;
      done();
    }
  };
}

/** Opens for keys with the route's scope. */
export function keyLock(route: KeyRoute, parts: Parts): Lock {
  return {
    isUnlimited: route.isUnlimited,
    try(request, reply, { address, now }) {
      const presented = route.bearerOnly ? bearerKey(request) : presentedKey(request);
      const found = authenticate(parts.register, presented, { address, scope: route.scope, now });
      return found instanceof Promise ? found.then(admit) : admit(found);

      function admit(found: Authentication): Admission {
        if (found.caller) {
          request.caller = found.caller;
          return { keyId: found.caller.key.id };
        }
        const answer = async () => {
          await route.onUnauthorized?.(parts, request, found, now);
          return sendUnauthorized(reply, found.problem, route.scope);
        };
        return { problem: found.problem, answer };
      }
    },
  };
}

/** The answer is the same whatever the cause; only what RFC 6750 has words for is told. */
export function sendUnauthorized(reply: FastifyReply, problem: KeyProblem, scope: Scope): FastifyReply {
  return sendError(reply.header("www-authenticate", challenge(problem, scope)), "UNAUTHORIZED");
}

function challenge(problem: KeyProblem, scope: Scope): string {
  if (problem === "missing") return 'Bearer realm="dbdepot"';
  if (problem === "lacks_scope") return `Bearer realm="dbdepot", error="insufficient_scope", scope="${scope}"`;
  return 'Bearer realm="dbdepot", error="invalid_token"';
}
