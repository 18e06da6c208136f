import fastifyPlugin from "fastify-plugin";
import { currentTrace, parseTraceparent } from "../../primitives/trace-context.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Of the trace that the client's `traceparent` names. */
    traceId: string | undefined;
  }
}

/** Continues the client's trace: in the access log, and in requests to S3. */
export const traces = fastifyPlugin(async (app) => {
  app.decorateRequest("traceId", undefined);
  app.addHook("onRequest", (request, _reply, done) => {
    const trace = parseTraceparent(request.headers.traceparent);
    request.traceId = trace?.traceId;
    currentTrace.run(trace, done);
  });
});
