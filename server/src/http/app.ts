import { randomBytes } from "node:crypto";
import type { ErrorCode } from "@dbdepot/contract/errors";
import { TypeBoxValidatorCompiler } from "@fastify/type-provider-typebox";
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Logger } from "pino";
import Type from "typebox";
import type { Caller } from "../keys/authenticate.ts";
import type { KeyProblem } from "../keys/check.ts";
import type { LegacyKey } from "../keys/legacy-key.ts";
import type { RateLimit } from "../settings.ts";
import { answerBrokenRequest } from "./broken-request.ts";
import { sendError } from "./errors.ts";
import { guard, keyLock, type Lock } from "./guard.ts";
import { readJsonBodies } from "./iam/json-body.ts";
import { createLimiters, type Limiters } from "./limiters.ts";
import { allowedMethods } from "./methods.ts";
import { readRawBodies } from "./operator/raw-body.ts";
import type { Answer, Parts, PublicVisit, Route } from "./route.ts";
import { ROUTES } from "./routes.ts";
import { legacyLock } from "./v1/lock.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Whose request it is, once the key has opened the door, and when that was. */
    caller: Caller | undefined;
    legacyKey: LegacyKey | undefined;
    arrived: Date | undefined;
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
    frameworkErrors: (_error, request, reply) => {
      // Addresses that cannot be decoded name nothing. No hook runs for them.
      sendError((reply as FastifyReply).header("x-request-id", request.id), "NOT_FOUND");
    },
  });
  app.setValidatorCompiler(TypeBoxValidatorCompiler);
  readJsonBodies(app);
  app.decorateRequest("caller", undefined);
  app.decorateRequest("legacyKey", undefined);
  app.decorateRequest("arrived", undefined);
  app.decorateRequest("keyProblem", undefined);
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    // A client that goes away before the end: Fastify's onResponse does not see that.
    reply.raw.once("close", () => {
      if (!reply.raw.writableFinished) log.info({ ...requestLine(request, reply), cut_off: true }, "request");
    });
    done();
  });
  app.addHook("onResponse", (request, reply, done) => {
    log.info(requestLine(request, reply), "request");
    done();
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const code = ERROR_CODES[error.code] ?? (error.validation ? "INVALID_REQUEST" : "INTERNAL");
    if (code !== "INTERNAL") return sendError(reply, code);
    // The client went away in the middle of its body: no fault of ours, and nobody is left to read the answer.
    if (error.code === "ECONNRESET" && request.raw.readableAborted) return sendError(reply, "BAD_REQUEST");
    log.error({ request_id: request.id, err: error }, "unexpected fault");
    // Nothing is wrong with the request: it can be made again when the database is back.
    return sendError(reply, parts.database.isOutOfReach() ? "NOT_AVAILABLE" : code);
  });
  app.setNotFoundHandler((request, reply) => {
    const methods = allowedMethods(request.url);
    if (methods.length === 0) return sendError(reply, "NOT_FOUND");
    return sendError(reply.header("allow", methods.join(", ")), "METHOD_NOT_ALLOWED");
  });
  const limiters = rateLimit && createLimiters(rateLimit);
  for (const route of ROUTES) {
    if (!route.isBodyRaw) addRoute(app, route, parts, limiters);
  }
  // Parsers are a matter of a scope of its own.
  app.register(async (raw) => {
    readRawBodies(raw);
    for (const route of ROUTES) {
      if (route.isBodyRaw) addRoute(raw, route, parts, limiters);
    }
  });
  return app;
}

/** What Fastify refuses on its own, in our words. */
const ERROR_CODES: Record<string, ErrorCode> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "UNSUPPORTED_MEDIA_TYPE",
  FST_ERR_CTP_BODY_TOO_LARGE: "TOO_LARGE",
  FST_ERR_CTP_EMPTY_JSON_BODY: "INVALID_REQUEST",
  FST_ERR_CTP_INVALID_JSON_BODY: "INVALID_REQUEST",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "INVALID_REQUEST",
};

function addRoute(app: FastifyInstance, route: Route, parts: Parts, limiters: Limiters | null): void {
  app.route({
    method: route.method === "GET" ? ["GET", "HEAD"] : route.method,
    url: route.url,
    schema: {
      ...(route.body && { body: route.isBodyOptional ? Type.Union([route.body, Type.Null()]) : route.body }),
      ...(route.response && { response: { 200: route.response } }),
    },
    ...("onError" in route && { errorHandler: route.onError }),
    ...(route.scope !== "public" && { onRequest: guard(lockOf(route, parts), parts, limiters) }),
    handler: (request, reply) => answer(route, { parts, request, reply, now: request.arrived ?? parts.clock() }),
  });
}

function lockOf(route: Exclude<Route, { scope: "public" }>, parts: Parts): Lock {
  return route.scope === "v1 key" ? legacyLock(route, parts) : keyLock(route, parts);
}

function answer(route: Route, visit: PublicVisit): Answer {
  if (route.scope === "public") return route.handler(visit);
  const { caller, legacyKey } = visit.request;
  if (route.scope === "v1 key") {
    if (legacyKey) return route.handler({ ...visit, key: legacyKey });
  } else if (caller) {
    return route.handler({ ...visit, caller, organizationId: caller.key.organizationId ?? "" });
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

/** One line a request. The address without its query: that may hold a key. */
function requestLine(request: FastifyRequest, reply: FastifyReply) {
  const { caller, legacyKey } = request;
  return {
    method: request.method,
    route: request.routeOptions.url ?? null,
    status: reply.raw.headersSent ? reply.statusCode : null,
    ms: Math.round(reply.elapsedTime * 100) / 100,
    request_id: request.id,
    organization: (caller?.key ?? legacyKey)?.organizationId ?? null,
    key: caller?.prefix ?? legacyKey?.id ?? null,
    ...(request.keyProblem && { refused: request.keyProblem }),
  };
}
