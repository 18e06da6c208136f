import type { FastifyReply } from "fastify";
import fastifyPlugin from "fastify-plugin";

/** Tells clients to open a new connection, to another server, once this one is closing. */
export const gracefulClose = fastifyPlugin(async (app) => {
  const announceClosing = (reply: FastifyReply) => {
    if (!app.server.listening) reply.header("connection", "close");
  };
  // Files are sent without onSend hooks.
  app.addHook("onRequest", (_request, reply, done) => {
    announceClosing(reply);
    done();
  });
  app.addHook("onSend", (_request, reply, payload, done) => {
    announceClosing(reply);
    done(null, payload);
  });
});
