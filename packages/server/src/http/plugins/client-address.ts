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

/** Strangers can send the header from many addresses, but must not fill the log. */
const WARNED_PEERS_MAX = 20;

/** Determines the client's address once per request. Fastify's `trustProxy` option decides which proxies are trusted. */
export const clientAddress = fastifyPlugin<{ log: Logger }>(async (app, { log }) => {
  const warned = new Set<string>();
  app.decorateRequest("clientAddress", "");
  app.addHook("onRequest", (request, _reply, done) => {
    request.clientAddress = addressOf(request.ip ?? "");
    const { clientAddress: peer } = request;
    if (isForwardedByUntrusted(request) && !warned.has(peer) && warned.size < WARNED_PEERS_MAX) {
      warned.add(peer);
      log.warn({ peer }, UNTRUSTED_PROXY);
    }
    done();
  });
});

const UNTRUSTED_PROXY =
  "X-Forwarded-For is ignored because its sender is not in DBDEPOT_TRUSTED_PROXIES. If it is your proxy, add it: until " +
  "then all clients behind it share one address. This is logged once for each sender.";

/** The addresses in the header follow that of the peer, if it is trusted. One of them may be its own. */
function isForwardedByUntrusted({ headers, ips = [] }: FastifyRequest): boolean {
  return Boolean(headers["x-forwarded-for"]) && ips.length <= 1;
}

/** The text of the header is not kept: it can be long, and the address is logged and stored. */
function addressOf(text: string): string {
  const address = withoutMapping(text);
  return isIP(address) ? address : "invalid";
}

function withoutMapping(address: string): string {
  return address.startsWith(MAPPED_IPV4) && address.includes(".") ? address.slice(MAPPED_IPV4.length) : address;
}
