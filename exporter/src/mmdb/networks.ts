import { compareAddresses, IPV4_WORDS, IPV6_WORDS } from "./address.ts";
import { parseNetwork, type Range } from "./network.ts";
import { RangeList } from "./range-list.ts";

/** The row number of a place in the IPv6 tree where the IPv4 tree hangs. */
export const IPV4_TREE_ROW = 0xffffffff;

const IPV4_HOME = network("::/96");
const IPV4_MAPPED = network("::ffff:0:0/96");
/** IPv6 notations of IPv4 addresses: mapped, Teredo (by its server) and 6to4. */
const IPV4_ALIASES = [IPV4_MAPPED, network("2001::/32"), network("2002::/16")];
/** `::` and `::1` share their place in the tree with 0.0.0.0/8, which is nobody's address. */
const HARMLESS_TWINS = network("::/104");

/**
 * The networks of a database, sorted by the tree that they go to. The format
 * keeps IPv4 at ::/96 of the IPv6 tree. So that a row on ::/8 does not claim
 * all of IPv4, an IPv6 network never reaches in there.
 */
export class Networks {
  readonly ipv4 = new RangeList(IPV4_WORDS);
  readonly ipv6 = new RangeList(IPV6_WORDS);
  readonly #spokenFor = new Set<Range>();
  #hasIpv4 = false;
  #hasIpv6 = false;
  #isWhole = false;

  /** 4 only where no row is about IPv6: a reader of an IPv4 tree refuses IPv6 addresses. */
  get ipVersion(): 4 | 6 {
    return this.#hasIpv6 ? 6 : 4;
  }

  /** Says what is wrong with a range that has no place in the tree. */
  add(range: Range, row: number): string | undefined {
    if (range.first.length === IPV4_WORDS) {
      this.#hasIpv4 = true;
      this.ipv4.add(range, row);
    } else if (isInside(range, IPV4_MAPPED) && !isInside(IPV4_MAPPED, range)) {
      // ::ffff:1.2.3.0/120 is another way to write 1.2.3.0/24; the whole block is not
      // 0.0.0.0/0 but what bogon lists mean by it: mapped addresses seen on the wire.
      this.#hasIpv4 = true;
      this.ipv4.add(ipv4Part(range), row);
    } else if (isInside(range, HARMLESS_TWINS)) {
      this.#hasIpv6 = true;
      this.ipv4.add(ipv4Part(range), row);
    } else if (isInside(range, IPV4_HOME)) {
      return "the network lies in ::/96, where an mmdb keeps IPv4: write it as an IPv4 network";
    } else {
      this.#hasIpv6 = true;
      this.ipv6.add(range, row);
      for (const alias of IPV4_ALIASES) if (speaksOf(range, alias)) this.#spokenFor.add(alias);
    }
    return undefined;
  }

  /** The IPv6 ranges, with the places where the IPv4 tree hangs. Ends the adding. */
  ipv6WithIpv4(): RangeList {
    if (!this.#isWhole) this.#hangIpv4();
    this.#isWhole = true;
    return this.ipv6;
  }

  #hangIpv4(): void {
    this.ipv6.add(IPV4_HOME, IPV4_TREE_ROW);
    // With nothing to find there, an alias would only be a hole in the networks around it.
    if (!this.#hasIpv4) return;
    for (const alias of IPV4_ALIASES) if (!this.#spokenFor.has(alias)) this.ipv6.add(alias, IPV4_TREE_ROW);
  }
}

/**
 * Whether a row is about an alias's own addresses: then they are what the row says,
 * not IPv4 in disguise. A larger network around the alias (2000::/3) is not.
 */
function speaksOf(range: Range, alias: Range): boolean {
  const apart = compareAddresses(range.last, alias.first) < 0 || compareAddresses(range.first, alias.last) > 0;
  return !apart && (isInside(range, alias) || !isInside(alias, range));
}

function isInside(inner: Range, outer: Range): boolean {
  return compareAddresses(inner.first, outer.first) >= 0 && compareAddresses(inner.last, outer.last) <= 0;
}

function ipv4Part(range: Range): Range {
  return { first: range.first.slice(3), last: range.last.slice(3) };
}

function network(text: string): Range {
  const parsed = parseNetwork(text);
  if ("fault" in parsed) throw new Error(parsed.fault);
  return parsed;
}
