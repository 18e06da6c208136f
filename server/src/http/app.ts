import { randomBytes } from "node:crypto";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { Caller } from "../keys/authenticate.ts";
import type { KeyProblem } from "../keys/check.ts";
import type { RateLimit } from "../settings.ts";
import { answerBrokenRequest } from "./broken-request.ts";
import { sendError } from "./errors.ts";
import { guarded } from "./guard.ts";
import { Limiters } from "./limiters.ts";
import { allowedMethods } from "./methods.ts";
import type { Parts } from "./route.ts";
import { ROUTES } from "./routes.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** For the log: whose request it is. */
    caller: Caller | undefined;
    /** For the log: why the key was refused. */
    keyProblem: KeyProblem | undefined;
  }
}

const HEADERS_MAX_BYTES = 16 * 1024;
const BODY_MAX_BYTES = 64 * 1024;

export interface AppOptions {
  parts: Parts;
  log: Logger;
  trustedProxies: readonly string[];
  rateLimit: RateLimit | null;
}

export function createApp({ parts, log, trustedProxies, rateLimit }: AppOptions): FastifyInstance {
  const app = Fastify({
    logger: false,
    bodyLimit: BODY_MAX_BYTES,
    http: { maxHeaderSize: HEADERS_MAX_BYTES },
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    genReqId: requestIds(),
    exposeHeadRoutes: false,
    return503OnClosing: false,
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (_error, _request, reply) => {
      // Addresses that cannot be decoded name nothing.
      sendError(reply as FastifyReply, "NOT_FOUND");
    },
  });
  app.decorateRequest("caller", undefined);
  app.decorateRequest("keyProblem", undefined);
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    done();
  });
  app.addHook("onResponse", (request, reply, done) => {
    log.info(requestLine(request, reply), "request");
    done();
  });
  app.setErrorHandler((error, request, reply) => {
    log.error({ request_id: request.id, err: error }, "unexpected fault");
    return sendError(reply, "INTERNAL");
  });
  app.setNotFoundHandler((request, reply) => {
    const methods = allowedMethods(request.url);
    if (methods.length === 0) return sendError(reply, "NOT_FOUND");
    return sendError(reply.header("allow", methods.join(", ")), "METHOD_NOT_ALLOWED");
  });
  const limiters = rateLimit && new Limiters(rateLimit);
  for (const route of ROUTES) {
    app.route({
      method: route.method === "GET" ? ["GET", "HEAD"] : route.method,
      url: route.url,
      ...(route.response && { schema: { response: { 200: route.response } } }),
      handler: guarded(route, parts, limiters),
    });
  }
  return app;
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

/** One line a request. The address without its query: that may hold a key. */
function requestLine(request: FastifyRequest, reply: FastifyReply) {
  const { caller } = request;
  return {
    method: request.method,
    route: request.routeOptions.url ?? null,
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 100) / 100,
    request_id: request.id,
    organization: caller?.key.organizationId ?? null,
    key: caller?.prefix ?? null,
    ...(request.keyProblem && { refused: request.keyProblem }),
  };
}
