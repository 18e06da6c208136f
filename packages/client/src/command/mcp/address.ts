import { isIP, isIPv4 } from "node:net";

const IPV4_BYTES = 4;
/** ::ffff:0:0/96, which holds IPv4 addresses. */
const MAPPED = Buffer.from("00000000000000000000ffff", "hex");

/** The 4 or 16 bytes of an IP address, or undefined if it is invalid. IPv4-mapped IPv6 addresses return 4 bytes. */
export function addressBytes(text: string): Buffer | undefined {
  if (isIPv4(text)) return Buffer.from(text.split(".").map(Number));
  if (!isIP(text) || text.includes("%")) return undefined;
  const [head = "", tail] = canonical(text).split("::");
  const [first, last] = [groupsOf(head), groupsOf(tail ?? "")];
  const zeros = tail === undefined ? [] : Array<number>(8 - first.length - last.length).fill(0);
  const bytes = Buffer.alloc(16);
  for (const [i, group] of [...first, ...zeros, ...last].entries()) bytes.writeUInt16BE(group, i * 2);
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

function groupsOf(text: string): number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}
