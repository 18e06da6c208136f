import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { allowsAddress } from "../access/cidrs.ts";

/** Whether an address is in one of the private networks that the operator allows. */
export function isAllowedPrivate(address: string, privateNetworks: readonly string[]): boolean {
  return privateNetworks.length > 0 && allowsAddress(privateNetworks, address);
}

/**
 * Whether webhooks may be sent to an address: public addresses, and those in networks that the operator allows. Everything
 * else, such as loopback, link-local, carrier-grade NAT, translated and reserved addresses, may lead into the vendor's network.
 */
export function isAllowedAddress(address: string, privateNetworks: readonly string[]): boolean {
  if (isIP(address) === 0) return false;
  return isPublic(address) || isAllowedPrivate(address, privateNetworks);
}

/** All IPv6 addresses that have been assigned for public use. The rest may be routed inside the vendor's network. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

function isPublic(address: string): boolean {
  // IPv4 addresses mapped to IPv6 are treated as IPv4.
  const parsed = ipaddr.process(address);
  if (parsed.range() !== "unicast") return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST);
}
