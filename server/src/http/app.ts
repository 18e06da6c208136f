import { randomBytes } from "node:crypto";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Logger } from "pino";
import type { RateLimit } from "../settings.ts";
import { BodyInvalid, BodyRefused, bodyReader } from "./body.ts";
import { answerBrokenRequest } from "./broken-request.ts";
import { clientAddresses } from "./client-address.ts";
import { sendError } from "./errors.ts";
import { ExpressServer } from "./express/server.ts";
import { guard, keyLock } from "./guard.ts";
import { createLimiters, type Limiters } from "./limiters.ts";
import { NodeOutlet, type Outlet } from "./outlet.ts";
import { Reply } from "./reply.ts";
import { type Head, Request } from "./request.ts";
import { requestLog } from "./request-log.ts";
import type { Answer, Parts, Route } from "./route.ts";
import { createRouter, type Found, type FoundRoute } from "./router.ts";
import { ROUTES } from "./routes.ts";
import { Targets } from "./target.ts";
import { legacyLock } from "./v1/lock.ts";

export interface AppOptions {
  parts: Parts;
  log: Logger;
  trustedProxies: readonly string[];
  rateLimit: RateLimit | null;
}

/**
 * The API. Node's own server with an express lane, and a table of routes: docs/decisions/0008 says why there is no
 * framework, 0009 why there is an express lane.
 */
export function createApp({ parts, log, trustedProxies, rateLimit }: AppOptions): Server {
  const limiters = rateLimit && createLimiters(rateLimit);
  const doors = new Map(ROUTES.map((route) => [route, door(route, parts, limiters)]));
  const find = createRouter(ROUTES);
  const targets = new Targets();
  const addressOf = clientAddresses(trustedProxies);
  const nextId = requestIds();
  const logRequest = requestLog(log);
  const server = new ExpressServer(findExpress, (incoming, response) => {
    const target = targets.of(incoming.url ?? "");
    const request = new Request(incoming, target, nextId(), addressOf(incoming.socket, incoming.headers), incoming);
    pass(request, routeOf(request), new NodeOutlet(response));
  });
  server.on("clientError", answerBrokenRequest);
  return server;

  function routeOf({ method, target }: Request): Found {
    if (method !== "GET") return find(method, target.path);
    target.found ??= find(method, target.path);
    return target.found;
  }

  /** For the express lane. */
  function findExpress(head: Head, socket: Socket): ((outlet: Outlet) => void) | undefined {
    const request = new Request(head, targets.of(head.url ?? ""), nextId(), addressOf(socket, head.headers));
    const found = routeOf(request);
    const isExpress = "route" in found && found.route.isInOnePiece?.(request);
    return isExpress ? (outlet) => pass(request, found, outlet) : undefined;
  }

  function pass(request: Request, found: Found, outlet: Outlet): void {
    const reply = new Reply(outlet, request);
    outlet.onOver(() => logRequest(request, reply));
    if ("route" in found) visit(found, request, reply);
    else answerNothing(reply, found.allow);
  }

  function visit({ route, params }: FoundRoute, request: Request, reply: Reply): void {
    request.route = route.url;
    request.params = params;
    const fail = (error: unknown) => answerFailure(route, request, reply, error);
    try {
      const answered = doors.get(route)?.(request, reply);
      if (answered instanceof Promise) answered.catch(fail);
    } catch (error) {
      fail(error);
    }
  }

  function answerFailure(route: Route, request: Request, reply: Reply, error: unknown): void {
    try {
      if (!("onError" in route) || !route.onError) throw error;
      route.onError(error, reply);
    } catch {
      answerError(request, reply, error);
    }
  }

  function answerError(request: Request, reply: Reply, error: unknown): void {
    // Once the headers are out, only a cut connection tells the client that something is wrong.
    if (reply.isSent) return void reply.cut();
    // It says nothing about the answer that was meant, and one of those headers may be the fault itself.
    reply.forgetHeaders();
    // The rest of a body that is not read would be taken for the next request.
    if (!request.isComplete) reply.header("connection", "close");
    if (error instanceof BodyRefused) return void sendError(reply, error.code);
    if (error instanceof BodyInvalid) return void sendError(reply, "INVALID_REQUEST");
    // The client went away in the middle of its body: no fault of ours, and nobody is left to read the answer.
    if (request.isBrokenOff) return void sendError(reply, "BAD_REQUEST");
    log.error({ request_id: request.id, err: error }, "unexpected fault");
    // Nothing is wrong with the request: it can be made again when the database is back.
    sendError(reply, parts.database.isOutOfReach() ? "NOT_AVAILABLE" : "INTERNAL");
  }
}

function answerNothing(reply: Reply, allow: string[]): void {
  if (allow.length === 0) sendError(reply, "NOT_FOUND");
  else sendError(reply.header("allow", allow.join(", ")), "METHOD_NOT_ALLOWED");
}

/** The way of a request through its route: the key, the body, the handler. It waits only where it must. */
function door(
  route: Route,
  parts: Parts,
  limiters: Limiters | null,
): (request: Request, reply: Reply) => Answer | undefined {
  const readBody = route.body && bodyReader(route.body, route.isBodyOptional ?? false);
  const enter = !readBody
    ? (request: Request, reply: Reply) => answer(route, parts, request, reply)
    : async (request: Request, reply: Reply) => {
        request.body = await readBody(request.incoming);
        return answer(route, parts, request, reply);
      };
  if (route.scope === "public") return enter;
  const lock = route.scope === "v1 key" ? legacyLock(route, parts) : keyLock(route, parts);
  return guard(lock, parts, limiters, enter);
}

function answer(route: Route, parts: Parts, request: Request, reply: Reply): Answer {
  const { caller, legacyKey } = request;
  const now = request.arrived ?? parts.clock();
  if (route.scope === "public") return route.handler({ parts, request, reply, now });
  if (route.scope === "v1 key") {
    if (legacyKey) return route.handler({ parts, request, reply, now, key: legacyKey });
  } else if (caller) {
    return route.handler({ parts, request, reply, now, caller, organizationId: caller.key.organizationId ?? "" });
  }
  // The guards let nobody else through.
  throw new Error("a guarded route was reached without a caller");
}

/** Unique across processes, cheap to make, and of no use to a guesser. */
function requestIds(): () => string {
  const start = randomBytes(6).toString("hex");
  let count = 0;
  return () => {
    count += 1;
    return `${start}-${count.toString(36)}`;
  };
}
