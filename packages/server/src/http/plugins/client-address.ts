import { isIP } from "node:net";
import type { FastifyRequest } from "fastify";
import fastifyPlugin from "fastify-plugin";
import type { Logger } from "pino";

declare module "fastify" {
  interface FastifyRequest {
    /**
     * The IP address of the client. Behind trusted proxies, it is taken from `X-Forwarded-For`, and is "invalid" if it is not
     * an IP address.
     */
    clientAddress: string;
  }
}

/** How dual-stack sockets write an IPv4 peer. */
const MAPPED_IPV4 = "::ffff:";

/** Determines the client's address once per request. Fastify's `trustProxy` option decides which proxies are trusted. */
export const clientAddress = fastifyPlugin<{ log: Logger }>(async (app, { log }) => {
  let hasWarned = false;
  app.decorateRequest("clientAddress", "");
  app.addHook("onRequest", (request, _reply, done) => {
    request.clientAddress = addressOf(request.ip ?? "");
    if (!hasWarned && isForwardedByUntrusted(request)) {
      hasWarned = true;
      log.warn({ peer: request.clientAddress }, UNTRUSTED_PROXY);
    }
    done();
  });
});

const UNTRUSTED_PROXY =
  "X-Forwarded-For is ignored because its sender is not in DBDEPOT_TRUSTED_PROXIES. If it is your proxy, add it: until " +
  "then all clients behind it share one address. This is logged once.";

function isForwardedByUntrusted({ headers, ip, raw }: FastifyRequest): boolean {
  return headers["x-forwarded-for"] !== undefined && ip === raw.socket.remoteAddress;
}

/** The text of the header is not kept: it can be long, and the address is logged and stored. */
function addressOf(text: string): string {
  const address = withoutMapping(text);
  return isIP(address) ? address : "invalid";
}

function withoutMapping(address: string): string {
  return address.startsWith(MAPPED_IPV4) && address.includes(".") ? address.slice(MAPPED_IPV4.length) : address;
}
