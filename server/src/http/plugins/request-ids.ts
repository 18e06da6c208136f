import { randomBytes } from "node:crypto";
import fastifyPlugin from "fastify-plugin";

/** Gives every request an id and returns it in `X-Request-Id`. */
export const requestIds = fastifyPlugin(async (app) => {
  app.setGenReqId(requestIdGenerator());
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    done();
  });
});

/** Unique across processes and cheap: a random prefix per process and a counter. */
function requestIdGenerator(): () => string {
  const prefix = randomBytes(6).toString("hex");
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}
