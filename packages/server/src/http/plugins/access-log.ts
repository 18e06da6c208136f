import { performance } from "node:perf_hooks";
import type { FastifyReply, FastifyRequest } from "fastify";
import fastifyPlugin from "fastify-plugin";
import type { Logger } from "pino";

/**
 * Writes one line per request when its response is complete or the connection is gone. It waits for the response's
 * `close` event because Fastify's onResponse hook does not run if the client disconnects.
 */
export const accessLog = fastifyPlugin<{ log: Logger }>(async (app, { log }) => {
  if (!log.isLevelEnabled("info")) return;
  app.addHook("onRequest", (request, reply, done) => {
    const startMs = performance.now();
    reply.raw.once("close", () => log.info(entryFor(request, reply, performance.now() - startMs), "request"));
    done();
  });
});

/** Never the URL itself: its query may contain a key. */
function entryFor(request: FastifyRequest, reply: FastifyReply, ms: number) {
  const { caller, legacyKey, keyRefusal } = request;
  const used = caller && ("key" in caller ? caller.key : caller.account);
  return {
    request_id: request.id,
    ...(request.traceId && { trace_id: request.traceId }),
    method: request.method,
    route: request.is404 ? null : request.routeOptions.url,
    status: reply.raw.headersSent ? reply.statusCode : null,
    ms: Math.round(ms * 100) / 100,
    client_ip: request.clientAddress,
    organization: (used ?? legacyKey)?.organizationId ?? null,
    key: caller && "key" in caller ? caller.prefix : (legacyKey?.id ?? null),
    ...(caller && "account" in caller && { account: caller.account.id }),
    ...(keyRefusal && { refused: keyRefusal.problem }),
    ...(!reply.raw.writableFinished && { cut_off: true }),
  };
}
