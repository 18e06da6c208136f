import { type TypeBoxTypeProvider, TypeBoxValidatorCompiler } from "@fastify/type-provider-typebox";
import Fastify, { type FastifyInstance, type RouteOptions } from "fastify";
import type { Logger } from "pino";
import type { Tracing } from "../adapters/monitoring/tracing.ts";
import type { HandOver } from "../domain/builds/object-store.ts";
import { CALLER_HEADERS } from "./credentials.ts";
import { methodsOf, notFoundHandler } from "./errors.ts";
import { errorHandler } from "./faults.ts";
import { callers } from "./plugins/callers.ts";
import { clientAddress } from "./plugins/client-address.ts";
import { conditionalRequests } from "./plugins/conditional-requests.ts";
import { connections, handleClientError } from "./plugins/connections.ts";
import { fileSending } from "./plugins/file-sending.ts";
import { formBodies } from "./plugins/form-bodies.ts";
import { BODY_MAX_BYTES, jsonBodies } from "./plugins/json-bodies.ts";
import { observe } from "./plugins/observe.ts";
import { rateLimits } from "./plugins/rate-limits.ts";
import { unauthorized } from "./plugins/unauthorized.ts";
import type { RequestContext, Response, Route, Services } from "./route.ts";
import { ROUTES } from "./routes.ts";
import type { RateLimit } from "./token-buckets.ts";

const HEADERS_MAX_BYTES = 16 * 1024;

/** How long the API waits for a client. Tests use shorter times. */
export const TIMEOUTS = {
  headersMs: 60_000,
  /** A JSON body has to arrive completely within this time. */
  bodyMs: 30_000,
  /** A slow client may take hours, but one that transfers no byte for this long has disconnected without notice. */
  stalledMs: 10 * 60_000,
  /** A client that needs longer for 64 KiB of changed rows is disconnected, because it occupies a thread. */
  rowsMs: 60_000,
  /** How long a client may keep sending a body after the response to it was sent. */
  unreadBodyMs: 5_000,
  /** Longer than the 60 s of common load balancers: otherwise they would use a connection that is just being closed. */
  keepAliveMs: 72_000,
  /** An event stream without events sends something this often. Shorter than the timeouts of common proxies. */
  heartbeatMs: 15_000,
};

export type Timeouts = typeof TIMEOUTS;

export interface AppOptions {
  services: Services;
  log: Logger;
  /** Logs every request at the level `info`. */
  accessLog: Logger;
  trustedProxies: string[];
  rateLimit: RateLimit | null;
  timeouts?: Timeouts | undefined;
  /** Lets a proxy send files. */
  handOver?: HandOver | undefined;
  /** Exports traces. */
  tracing?: Tracing | undefined;
}

/** The API as a Fastify instance that is ready to listen. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const { services, log, accessLog, trustedProxies, rateLimit, timeouts = TIMEOUTS, handOver, tracing } = options;
  const app = Fastify({
    // The observe plugin writes our own line. Fastify's would contain URLs, and with them keys.
    logger: false,
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
    bodyLimit: BODY_MAX_BYTES,
    http: { maxHeaderSize: HEADERS_MAX_BYTES, headersTimeout: timeouts.headersMs },
    // An upload may take hours. Headers, JSON bodies and stalled connections have their own limits.
    requestTimeout: 0,
    connectionTimeout: timeouts.stalledMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    // Requests that arrive while the server closes are still answered.
    return503OnClosing: false,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: HEADERS_MAX_BYTES },
    rewriteUrl: ({ url = "/" }) => (isDecodable(url) ? url : UNDECODABLE_URL),
    clientErrorHandler: handleClientError,
  }).withTypeProvider<TypeBoxTypeProvider>();

  app.setValidatorCompiler(TypeBoxValidatorCompiler);
  // Documents end with a newline, as metadata documents do. Error bodies are exactly {rc}.
  app.setReplySerializer((payload, status) => JSON.stringify(payload) + (status < 400 ? "\n" : ""));
  app.setErrorHandler(errorHandler(services, log));
  await app.register(observe, { clock: services.clock, metrics: services.metrics, accessLog, tracing });
  await app.register(clientAddress, { log });
  await app.register(connections, { unreadBodyMs: timeouts.unreadBodyMs });
  const handleNotFound = notFoundHandler(ROUTES);
  app.setNotFoundHandler(handleNotFound);
  // Runs before the body is read, because an unknown path does not need it.
  app.addHook("onRequest", (request, reply, done) => {
    // A response may be cached only if its handler says so, and one that depends on the caller never for another caller.
    reply.header("cache-control", "no-store");
    if (request.route && request.route.scope !== "public") reply.header("vary", CALLER_HEADERS);
    if (request.is404) handleNotFound(request, reply);
    else done();
  });
  await app.register(callers, { services });
  await app.register(rateLimits, { rateLimit, register: services.register, metrics: services.metrics });
  await app.register(unauthorized, { services });
  await app.register(conditionalRequests);
  await app.register(fileSending, {
    objects: services.objects,
    log,
    handOver,
    metrics: services.metrics,
    sentBytes: services.sentBytes,
    rowsTimeoutMs: timeouts.rowsMs,
  });
  await app.register(async (withBody) => {
    await withBody.register(jsonBodies, { timeoutMs: timeouts.bodyMs });
    for (const route of ROUTES) if (route.body && !route.isForm) withBody.route(optionsOf(route, services));
  });
  await app.register(async (withForm) => {
    await withForm.register(formBodies, { timeoutMs: timeouts.bodyMs });
    for (const route of ROUTES) if (route.isForm) withForm.route(optionsOf(route, services));
  });
  await app.register(async (withoutBody) => {
    withoutBody.removeAllContentTypeParsers();
    withoutBody.addContentTypeParser("*", (_request, _body, done) => done(null));
    for (const route of ROUTES) if (!route.body) withoutBody.route(optionsOf(route, services));
  });
  return app;
}

/** Converts a row of the route table to a Fastify route. */
function optionsOf(route: Route, services: Services): RouteOptions {
  const { isQueryStrict, onError } = route;
  return {
    method: methodsOf(route),
    url: route.url,
    config: { route },
    schema: { ...(route.body && { body: route.body }), ...(isQueryStrict && { querystring: route.query }) },
    ...(route.bodyMaxBytes && { bodyLimit: route.bodyMaxBytes }),
    ...(route.isBodyOptional && {
      preValidation: async (request) => {
        request.body ??= {};
      },
    }),
    ...(route.changesRegister && {
      // If it fails, the register refreshes later. The change is committed, and the response may carry a secret that is never
      // shown again.
      onSend: async (_request, reply) => {
        if (reply.statusCode < 500) await services.register.refresh().catch(() => {});
      },
    }),
    ...(onError && { errorHandler: (error, _request, reply) => onError(error, reply) }),
    handler: (request, reply) => handle(route, { services, request, reply, now: request.arrived }),
  };
}

function handle(route: Route, context: RequestContext): Response {
  if (route.scope === "public") return route.handler(context);
  const { caller, legacyKey } = context.request;
  if (route.scope === "v1 key") {
    if (legacyKey) return route.handler({ ...context, key: legacyKey });
  } else if (route.scope === "account") {
    if (caller && "account" in caller) return route.handler({ ...context, caller });
  } else if (caller) {
    const { organizationId } = "key" in caller ? caller.key : caller.account;
    return route.handler({ ...context, caller, organizationId: organizationId ?? "" });
  }
  throw new Error("a protected route was reached without a caller");
}

/** Runs if no route matches. */
const UNDECODABLE_URL = "/undecodable";

function isDecodable(url: string): boolean {
  try {
    if (url.includes("%")) decodeURIComponent(url.split("?")[0] ?? "");
    return true;
  } catch {
    return false;
  }
}
