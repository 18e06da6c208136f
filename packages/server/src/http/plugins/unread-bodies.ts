import type { IncomingMessage } from "node:http";
import fastifyPlugin from "fastify-plugin";
import { hasBody } from "./json-bodies.ts";

/**
 * Closes the connection of a client that keeps sending a body after the response, for example to an unknown address or with
 * a refused key. It gets some time first, because many clients read the response only after they have sent everything.
 */
export const unreadBodies = fastifyPlugin<{ timeoutMs: number }>(async (app, { timeoutMs }) => {
  app.addHook("onRequest", (request, reply, done) => {
    if (hasBody(request.raw)) reply.raw.once("finish", () => closeUnlessComplete(request.raw, timeoutMs));
    done();
  });
});

function closeUnlessComplete(request: IncomingMessage, timeoutMs: number): void {
  if (request.complete) return;
  const timer = setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, timeoutMs);
  timer.unref();
}
