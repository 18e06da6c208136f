import { parseAddress } from "@dbdepot/formats/mmdb/address";

const IPV4_BYTES = 4;
/** ::ffff:0:0/96, which holds IPv4 addresses. */
const MAPPED = Buffer.from("00000000000000000000ffff", "hex");

/** The 4 or 16 bytes of an IP address, or undefined if it is invalid. IPv4-mapped IPv6 addresses return 4 bytes. */
export function addressBytes(text: string): Buffer | undefined {
  const words = parseAddress(text);
  if (!words) return undefined;
  const bytes = Buffer.alloc(words.length * 4);
  for (const [i, word] of words.entries()) bytes.writeUInt32BE(word, i * 4);
  return bytes.subarray(0, MAPPED.length).equals(MAPPED) ? bytes.subarray(MAPPED.length) : bytes;
}

/** The network of an address, such as `192.0.2.0/24`. */
export function networkText(address: Buffer, prefixLength: number): string {
  const masked = Buffer.from(address.map((byte, i) => byte & mask(prefixLength - i * 8)));
  const groups = Array.from({ length: masked.length / 2 }, (_, i) => masked.readUInt16BE(i * 2).toString(16));
  const text = masked.length === IPV4_BYTES ? masked.join(".") : canonical(groups.join(":"));
  return `${text}/${prefixLength}`;
}

/** The mask for the next byte of a prefix that has `bits` more bits. */
function mask(bits: number): number {
  return 256 - 2 ** (8 - Math.min(Math.max(bits, 0), 8));
}

/** URLs contain IPv6 addresses in their shortest form, without dots. */
function canonical(ipv6: string): string {
  return new URL(`http://[${ipv6}]`).hostname.slice(1, -1);
}
