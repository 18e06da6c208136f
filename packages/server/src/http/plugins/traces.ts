import fastifyPlugin from "fastify-plugin";
import type { Tracing } from "../../adapters/monitoring/tracing.ts";
import { currentTrace, parseTraceparent } from "../../platform/primitives/trace-context.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Of the trace that the client's `traceparent` names, or of a new one if traces are exported. */
    traceId: string | undefined;
  }
}

/** Continues the client's trace: in the access log, in requests to S3, and in its own span if traces are exported. */
export const traces = fastifyPlugin<{ tracing: Tracing | undefined }>(async (app, { tracing }) => {
  app.decorateRequest("traceId", undefined);
  app.addHook("onRequest", (request, reply, done) => {
    const parent = parseTraceparent(request.headers.traceparent);
    const { id, method, is404, routeOptions } = request;
    const span = tracing?.startSpan({ id, method, route: is404 ? undefined : routeOptions.url }, parent);
    if (span) {
      reply.raw.once("close", () => span.end(reply.raw.headersSent ? reply.raw.statusCode : undefined));
    }
    const trace = span?.trace ?? parent;
    request.traceId = trace?.traceId;
    currentTrace.run(trace, done);
  });
});
