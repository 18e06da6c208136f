import fastifyPlugin from "fastify-plugin";

/** Tells clients to open a new connection once the server is closing. */
export const gracefulClose = fastifyPlugin(async (app) => {
  let isClosing = false;
  app.addHook("preClose", async () => {
    isClosing = true;
  });
  app.addHook("onSend", (_request, reply, payload, done) => {
    if (isClosing) reply.header("connection", "close");
    done(null, payload);
  });
});
