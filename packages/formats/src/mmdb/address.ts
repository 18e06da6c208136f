/** An IP address as big-endian 32-bit words: one for IPv4, four for IPv6. */
export type Address = readonly number[];

export const IPV4_WORDS = 1;
export const IPV6_WORDS = 4;

export function parseAddress(text: string): Address | undefined {
  return text.includes(":") ? parseIpv6(text) : parseIpv4(text);
}

export function compareAddresses(a: Address, b: Address): number {
  for (let i = 0; i < a.length; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Accepts four decimal numbers without leading zeros, because some readers parse 010 as octal. */
function parseIpv4(text: string): Address | undefined {
  const parts = text.split(".");
  if (parts.length !== 4) return undefined;
  let word = 0;
  for (const part of parts) {
    const byte = parseOctet(part);
    if (byte === undefined) return undefined;
    word = word * 256 + byte;
  }
  return [word];
}

function parseOctet(text: string): number | undefined {
  if (text.length === 0 || text.length > 3) return undefined;
  let value = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  if (value > 255 || (text.length > 1 && text.startsWith("0"))) return undefined;
  return value;
}

/** Follows RFC 4291, section 2.2. Refuses zones (fe80::1%eth0), which have a meaning on one machine only. */
function parseIpv6(text: string): Address | undefined {
  const groups: number[] = [];
  let gap = text.startsWith("::") ? 0 : -1;
  let at = gap === 0 ? 2 : 0;
  while (at < text.length) {
    const end = endOfGroup(text, at);
    if (text[end] === ".") {
      const [word] = parseIpv4(text.slice(at)) ?? [];
      if (word === undefined) return undefined;
      groups.push(word >>> 16, word & 0xffff);
      break;
    }
    if (end === at || end - at > 4) return undefined;
    groups.push(Number.parseInt(text.slice(at, end), 16));
    if (end === text.length) break;
    if (text[end] !== ":") return undefined;
    at = end + 1;
    if (text[at] === ":" && gap === -1) {
      gap = groups.length;
      at++;
    } else if (at === text.length) {
      return undefined;
    }
  }
  return wordsOf(groups, gap);
}

/** Fills the gap that `::` leaves; it stands for one group or more. */
function wordsOf(groups: number[], gap: number): Address | undefined {
  const missing = 8 - groups.length;
  if (gap === -1 ? missing !== 0 : missing < 1) return undefined;
  const group = (i: number): number => {
    if (gap === -1 || i < gap) return groups[i] as number;
    return i < gap + missing ? 0 : (groups[i - missing] as number);
  };
  const word = (i: number) => group(i) * 0x10000 + group(i + 1);
  return [word(0), word(2), word(4), word(6)];
}

function endOfGroup(text: string, from: number): number {
  let at = from;
  while (at < text.length && isHexDigit(text.charCodeAt(at))) at++;
  return at;
}

function isHexDigit(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70);
}
