import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { invalid } from "../../platform/primitives/faults.ts";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Normalizes a CIDR. Throws a fault that says what is wrong with it. */
export function requireCidr(text: string): string {
  const trimmed = text.trim();
  const [addressText = "", lengthText, ...rest] = trimmed.split("/");
  // ipaddr.js also accepts "10" and "0x7f.1" as addresses; isIP does not.
  if (isIP(addressText) === 0) throw invalid(`"${text}" is not a CIDR: write it like 192.0.2.0/24 or 2001:db8::/32`);
  if (lengthText === undefined) {
    throw invalid(`"${text}" is an address, not a CIDR: write ${trimmed}/${isIP(addressText) === 4 ? 32 : 128}`);
  }
  const given = ipaddr.parse(addressText);
  const bits = given.kind() === "ipv4" ? 32 : 128;
  if (rest.length > 0 || !/^(0|[1-9][0-9]{0,2})$/.test(lengthText) || Number(lengthText) > bits) {
    throw invalid(`"${text}" is not a CIDR: the part after "/" must be a number from 0 to ${bits}`);
  }
  const [address, length] = unmapped(given, Number(lengthText));
  const kind = address.kind() === "ipv4" ? ipaddr.IPv4 : ipaddr.IPv6;
  const network = kind.networkAddressFromCIDR(`${address}/${length}`).toString();
  if (network !== address.toString()) {
    throw invalid(`"${text}" has bits set after its prefix: did you mean ${network}/${length}?`);
  }
  return `${network}/${length}`;
}

/** Converts IPv4 mapped to IPv6 into IPv4. Addresses of requests are normalized the same way, so it would never match otherwise. */
function unmapped(address: Address, length: number): [Address, number] {
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && length >= 96) {
    return [address.toIPv4Address(), length - 96];
  }
  return [address, length];
}

/** Whether a key bound to these CIDRs may be used from this address. An empty list allows every address. */
export function allowsAddress(cidrs: readonly string[], address: string): boolean {
  if (cidrs.length === 0) return true;
  const parsed = parseAddress(address);
  return parsed !== undefined && cidrs.some((cidr) => contains(cidr, parsed));
}

/** Whether `outer` contains every address of `inner`. An empty list means every address. */
export function areInside(inner: readonly string[], outer: readonly string[]): boolean {
  if (outer.length === 0) return true;
  if (inner.length === 0) return false;
  return inner.every((cidr) => {
    const [address, length] = ipaddr.parseCIDR(cidr);
    return outer.some((candidate) => contains(candidate, address) && ipaddr.parseCIDR(candidate)[1] <= length);
  });
}

function contains(cidr: string, address: Address): boolean {
  const [network, length] = ipaddr.parseCIDR(cidr);
  if (network.kind() !== address.kind()) return false;
  return address.match(network as ipaddr.IPv4 & ipaddr.IPv6, length);
}

function parseAddress(text: string): Address | undefined {
  return isIP(text) === 0 ? undefined : ipaddr.process(text);
}
