import type { IncomingMessage } from "node:http";
import fastifyPlugin from "fastify-plugin";
import type { Clock } from "../../platform/primitives/clock.ts";
import { newId } from "../../platform/primitives/ids.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** When the request arrived, by the service's clock. */
    arrived: Date;
  }
}

/**
 * Gives every request an id and returns it in `X-Request-Id`. A download attempt has the id of its request, so that
 * support can look it up by its primary key.
 */
export const requestIds = fastifyPlugin<{ clock: Clock }>(async (app, { clock }) => {
  // The id contains the time, which must not differ from the one in the history: queries by time use both.
  const arrivals = new WeakMap<object, Date>();
  app.setGenReqId((raw: IncomingMessage) => {
    const arrived = clock();
    arrivals.set(raw, arrived);
    return newId(arrived);
  });
  app.decorateRequest("arrived");
  app.addHook("onRequest", (request, reply, done) => {
    request.arrived = arrivals.get(request.raw) ?? clock();
    reply.header("x-request-id", request.id);
    done();
  });
});
