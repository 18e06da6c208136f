import type { IncomingMessage } from "node:http";
import { allowsAddress } from "../keys/cidrs.ts";

/** How dual-stack sockets write an IPv4 peer. */
const MAPPED_IPV4 = "::ffff:";

/**
 * Where requests come from. X-Forwarded-For, which anybody can send, is believed only as far as the proxies that
 * DBDEPOT_TRUSTED_PROXIES names have written it: from its end, up to the first address that is none of theirs.
 */
export function clientAddresses(trustedProxies: readonly string[]): (raw: IncomingMessage) => string {
  if (trustedProxies.length === 0) return peerOf;
  return (raw) => {
    let address = peerOf(raw);
    const forwarded = [raw.headers["x-forwarded-for"] ?? []].flat().join(",").split(",");
    while (allowsAddress(trustedProxies, address)) {
      const before = forwarded.pop()?.trim() ?? "";
      if (before === "") break;
      address = plain(before);
    }
    return address;
  };
}

function peerOf({ socket }: IncomingMessage): string {
  return plain(socket.remoteAddress ?? "");
}

function plain(address: string): string {
  return address.startsWith(MAPPED_IPV4) && address.includes(".") ? address.slice(MAPPED_IPV4.length) : address;
}
