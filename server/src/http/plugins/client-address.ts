import fastifyPlugin from "fastify-plugin";

declare module "fastify" {
  interface FastifyRequest {
    /** Where the request came from. Behind trusted proxies, what `X-Forwarded-For` says. */
    clientAddress: string;
  }
}

/** How dual-stack sockets write an IPv4 peer. */
const MAPPED_IPV4 = "::ffff:";

/** Finds out the client's address once per request. Fastify's `trustProxy` option decides which proxies are believed. */
export const clientAddress = fastifyPlugin(async (app) => {
  app.decorateRequest("clientAddress", "");
  app.addHook("onRequest", (request, _reply, done) => {
    request.clientAddress = withoutMapping(request.ip ?? "");
    done();
  });
});

function withoutMapping(address: string): string {
  return address.startsWith(MAPPED_IPV4) && address.includes(".") ? address.slice(MAPPED_IPV4.length) : address;
}
