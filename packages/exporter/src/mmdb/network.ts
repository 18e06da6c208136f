import { type Address, compareAddresses, parseAddress } from "@dbdepot/formats/mmdb/address";

/** Every address from `first` to `last`, inclusive. Both belong to the same family. */
export interface Range {
  first: Address;
  last: Address;
}

export type ParsedRange = Range | { fault: string };

/** Reads `10.0.0.0/8`, `2001:db8::/32`, or a lone address. */
export function parseNetwork(text: string): ParsedRange {
  const slash = text.indexOf("/");
  const address = parseAddress(slash === -1 ? text : text.slice(0, slash));
  if (address === undefined) return { fault: `${JSON.stringify(text)} is not an IP network` };
  if (slash === -1) return { first: address, last: address };

  const bits = text.slice(slash + 1);
  if (!/^(0|[1-9][0-9]{0,2})$/.test(bits) || Number(bits) > address.length * 32) {
    return { fault: `${JSON.stringify(text)} has no valid prefix length` };
  }
  const last = lastAddress(address, Number(bits));
  if (!isNetworkAddress(address, Number(bits))) {
    // Masking the host bits would hide a typing error.
    return { fault: `${JSON.stringify(text)} has bits set beyond its prefix length` };
  }
  return { first: address, last };
}

export function parseRange(firstText: string, lastText: string): ParsedRange {
  const first = parseAddress(firstText);
  if (first === undefined) return { fault: `${JSON.stringify(firstText)} is not an IP address` };
  const last = parseAddress(lastText);
  if (last === undefined) return { fault: `${JSON.stringify(lastText)} is not an IP address` };
  const span = `the range ${firstText} to ${lastText}`;
  if (first.length !== last.length) return { fault: `${span} mixes IPv4 and IPv6` };
  if (compareAddresses(first, last) > 0) return { fault: `${span} ends before it starts` };
  return { first, last };
}

function lastAddress(first: Address, prefixBits: number): Address {
  return first.map((word, i) => (word | hostMask(i, prefixBits)) >>> 0);
}

function isNetworkAddress(address: Address, prefixBits: number): boolean {
  return address.every((word, i) => (word & hostMask(i, prefixBits)) === 0);
}

/** The bits of word `index` after the prefix. */
function hostMask(index: number, prefixBits: number): number {
  const bitsInWord = Math.min(32, Math.max(0, prefixBits - index * 32));
  // JavaScript takes shift counts modulo 32: >>> 32 would shift nothing.
  return bitsInWord === 32 ? 0 : 0xffffffff >>> bitsInWord;
}
