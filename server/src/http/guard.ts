import type { Scope } from "@dbdepot/contract/scopes";
import { type Authentication, authenticate } from "../keys/authenticate.ts";
import type { KeyProblem } from "../keys/check.ts";
import type { Used } from "../keys/last-used.ts";
import { bearerKey, presentedKey } from "./credentials.ts";
import { readyError, sendError } from "./errors.ts";
import type { Limiters } from "./limiters.ts";
import type { Ready } from "./ready.ts";
import type { Reply } from "./reply.ts";
import type { Request } from "./request.ts";
import type { Answer, KeyRoute, Parts } from "./route.ts";

/** What came of a request's key: it opens the door, or the request is answered here. */
export type Admission = Used | { problem: KeyProblem; answer(): Answer };

/** A kind of key, and how it is checked. */
export interface Lock {
  /** Polling for news is free of the rate limit. */
  isUnlimited?: boolean | undefined;
  try(request: Request, reply: Reply, now: Date): Admission | Promise<Admission>;
}

/**
 * Stands before the body is read: lets a request through if its key opens the lock, and
 * answers it otherwise. It waits only for keys that it does not know yet.
 */
export function guard(
  lock: Lock,
  parts: Parts,
  limiters: Limiters | null,
  enter: (request: Request, reply: Reply) => Answer,
): (request: Request, reply: Reply) => Answer {
  return (request, reply) => {
    if (parts.database.isBeyondGrace()) return sendError(reply, "NOT_AVAILABLE");
    const now = parts.clock();
    const waitSeconds = limiters?.refusals.waitSeconds(request.address, now.getTime()) ?? 0;
    if (limiters && waitSeconds > 0) return limiters.refusals.send(reply, waitSeconds);
    const admission = lock.try(request, reply, now);
    return admission instanceof Promise
      ? admission.then((found) => admit(request, reply, found, now))
      : admit(request, reply, admission, now);
  };

  function admit(request: Request, reply: Reply, admission: Admission, now: Date): Answer {
    if ("problem" in admission) {
      request.keyProblem = admission.problem;
      limiters?.refusals.take(request.address, now.getTime());
      return admission.answer();
    }
    if (!lock.isUnlimited && limiters) {
      const waitSeconds = limiters.keys.takeOrWait(admission.key.id, now.getTime());
      if (waitSeconds > 0) return limiters.keys.send(reply, waitSeconds);
    }
    parts.lastUsed.note(admission, now);
    request.arrived = now;
    return enter(request, reply);
  }
}

/** Opens for keys with the route's scope. */
export function keyLock(route: KeyRoute, parts: Parts): Lock {
  return {
    isUnlimited: route.isUnlimited,
    try(request, reply, now) {
      const { address } = request;
      const presented = route.bearerOnly ? bearerKey(request) : presentedKey(request);
      const found = authenticate(parts.register, presented, { address, scope: route.scope, now });
      return found instanceof Promise ? found.then(admit) : admit(found);

      function admit(found: Authentication): Admission {
        if (found.caller) {
          request.caller = found.caller;
          return found.caller;
        }
        const refuse = () => sendUnauthorized(reply, found.problem, route.scope);
        const answer = () => route.onUnauthorized?.(parts, request, found, now).then(refuse) ?? refuse();
        return { problem: found.problem, answer };
      }
    },
  };
}

/** The answer is the same whatever the cause; only what RFC 6750 has words for is told. */
export function sendUnauthorized(reply: Reply, problem: KeyProblem, scope: Scope): Reply {
  const text = challenge(problem, scope);
  let answer = unauthorized.get(text);
  if (!answer) {
    answer = readyError("UNAUTHORIZED", ["www-authenticate", text]);
    unauthorized.set(text, answer);
  }
  return reply.sendReady(answer);
}

/** By their challenges, of which there are two and one for each scope. */
const unauthorized = new Map<string, Ready>();

function challenge(problem: KeyProblem, scope: Scope): string {
  if (problem === "missing") return 'Bearer realm="dbdepot"';
  if (problem === "lacks_scope") return `Bearer realm="dbdepot", error="insufficient_scope", scope="${scope}"`;
  return 'Bearer realm="dbdepot", error="invalid_token"';
}
