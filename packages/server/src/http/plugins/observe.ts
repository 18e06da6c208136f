import type { FastifyReply, FastifyRequest } from "fastify";
import fastifyPlugin from "fastify-plugin";
import type { Logger } from "pino";
import type { Metrics } from "../../adapters/monitoring/metrics.ts";
import type { Tracing } from "../../adapters/monitoring/tracing.ts";
import type { Clock } from "../../platform/primitives/clock.ts";
import { newId } from "../../platform/primitives/ids.ts";
import { currentTrace, parseTraceparent } from "../../platform/primitives/trace-context.ts";
import type { Route } from "../route.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    route?: Route;
  }
  interface FastifyRequest {
    /** Its row in the route table; undefined for unknown addresses. Fastify creates `routeOptions` on every access. */
    route: Route | undefined;
    /** When the request arrived, by the service's clock. */
    arrived: Date;
  }
}

interface ObserveOptions {
  clock: Clock;
  metrics: Metrics;
  accessLog: Logger;
  /** Exports spans; undefined if traces are not exported. */
  tracing: Tracing | undefined;
}

/**
 * Gives every request an id, returned in `X-Request-Id`, and continues the client's trace. When the response is
 * complete or the connection is gone, it counts the request, writes its line to the access log and ends its span. It
 * waits for the response's `close` event because Fastify's onResponse hook does not run if the client disconnects.
 */
export const observe = fastifyPlugin<ObserveOptions>(async (app, { clock, metrics, accessLog, tracing }) => {
  const log = accessLog.isLevelEnabled("info") ? accessLog : undefined;
  app.setGenReqId(() => "");
  app.decorateRequest("arrived");
  app.decorateRequest("route", undefined);
  app.addHook("onRequest", (request, reply, done) => {
    const startMs = performance.now();
    // The id contains the time, which must not differ from the one in the history: queries by time use both. A download
    // attempt has the id of its request, so that support can look it up by its primary key.
    request.arrived = clock();
    request.id = newId(request.arrived);
    reply.header("x-request-id", request.id);

    request.route = request.routeOptions.config.route;
    const { id, method } = request;
    const route = request.route?.url;
    const parent = parseTraceparent(request.headers.traceparent);
    const span = tracing?.startSpan({ id, method, route }, parent);
    const trace = span?.trace ?? parent;

    reply.raw.once("close", () => {
      const status = reply.raw.headersSent ? reply.statusCode : undefined;
      const ms = performance.now() - startMs;
      const labels = { method: route === undefined ? "" : method, route: route ?? "" };
      metrics.requests.inc({ ...labels, status: status ?? "" });
      // An event stream lasts until its client disconnects, so its duration is meaningless.
      if (reply.getHeader("content-type") !== "text/event-stream") metrics.requestSeconds.observe(labels, ms / 1000);
      span?.end(status);
      log?.info(logEntry(request, reply, { route, status, ms, traceId: trace?.traceId }), "request");
    });
    if (trace) currentTrace.run(trace, done);
    else done();
  });
});

interface Observed {
  route: string | undefined;
  status: number | undefined;
  ms: number;
  traceId: string | undefined;
}

/** The result never contains the URL itself: its query may contain a key. */
function logEntry(request: FastifyRequest, reply: FastifyReply, { route, status, ms, traceId }: Observed) {
  const { caller, legacyKey, keyRefusal } = request;
  const used = caller && ("key" in caller ? caller.key : caller.account);
  return {
    request_id: request.id,
    ...(traceId && { trace_id: traceId }),
    method: request.method,
    route: route ?? null,
    status: status ?? null,
    ms: Math.round(ms * 100) / 100,
    client_ip: request.clientAddress,
    organization: (used ?? legacyKey)?.organizationId ?? null,
    key: caller && "key" in caller ? caller.prefix : (legacyKey?.id ?? null),
    ...(caller && "account" in caller && { account: caller.account.id }),
    ...(keyRefusal && { refused: keyRefusal.problem }),
    ...(!reply.raw.writableFinished && { cut_off: true }),
  };
}
