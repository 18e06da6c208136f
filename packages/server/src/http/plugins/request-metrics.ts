import fastifyPlugin from "fastify-plugin";
import type { Metrics } from "../../adapters/monitoring/metrics.ts";

/** Counts every request when its response is complete or the connection is gone. */
export const requestMetrics = fastifyPlugin<{ metrics: Metrics }>(async (app, { metrics }) => {
  app.addHook("onRequest", (request, reply, done) => {
    const startMs = performance.now();
    reply.raw.once("close", () => {
      const route = request.is404 ? "" : (request.routeOptions.url ?? "");
      const method = request.is404 ? "" : request.method;
      metrics.requests.inc({ method, route, status: reply.raw.headersSent ? reply.statusCode : "" });
      // An event stream lasts as long as its client likes.
      if (reply.getHeader("content-type") === "text/event-stream") return;
      metrics.requestSeconds.observe({ method, route }, (performance.now() - startMs) / 1000);
    });
    done();
  });
});
