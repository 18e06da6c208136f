import type { FastifyRequest } from "fastify";

/** How dual-stack sockets write an IPv4 peer. */
const MAPPED_IPV4 = "::ffff:";

/**
 * Where the request came from. Fastify takes X-Forwarded-For into account only behind the
 * proxies that DBDEPOT_TRUSTED_PROXIES names.
 */
export function clientAddress(request: FastifyRequest): string {
  const { ip } = request;
  return ip.startsWith(MAPPED_IPV4) && ip.includes(".") ? ip.slice(MAPPED_IPV4.length) : ip;
}
