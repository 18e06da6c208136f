import type { IncomingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import { allowsAddress } from "../keys/cidrs.ts";

/** How dual-stack sockets write an IPv4 peer. */
const MAPPED_IPV4 = "::ffff:";

/**
 * Where requests come from. X-Forwarded-For, which anybody can send, is believed only as far as the proxies that
 * DBDEPOT_TRUSTED_PROXIES names have written it: from its end, up to the first address that is none of theirs.
 */
export function clientAddresses(
  trustedProxies: readonly string[],
): (socket: Socket, headers: IncomingHttpHeaders) => string {
  if (trustedProxies.length === 0) return peerOf;
  return (socket, headers) => {
    let address = peerOf(socket);
    const forwarded = [headers["x-forwarded-for"] ?? []].flat().join(",").split(",");
    while (allowsAddress(trustedProxies, address)) {
      const before = forwarded.pop()?.trim() ?? "";
      if (before === "") break;
      address = plain(before);
    }
    return address;
  };
}

function peerOf({ remoteAddress }: Socket): string {
  return plain(remoteAddress ?? "");
}

function plain(address: string): string {
  return address.startsWith(MAPPED_IPV4) && address.includes(".") ? address.slice(MAPPED_IPV4.length) : address;
}
