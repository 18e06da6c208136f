import { compareAddresses, IPV4_WORDS, IPV6_WORDS } from "@dbdepot/formats/mmdb/address";
import { parseNetwork, type Range } from "./network.ts";
import { RangeList } from "./range-list.ts";

/** The row number of ranges in the IPv6 tree that lead to the IPv4 tree. */
export const IPV4_TREE_ROW = 0xffffffff;

const IPV4_SUBTREE = network("::/96");
const IPV4_MAPPED = network("::ffff:0:0/96");
/** IPv6 notations of IPv4 addresses: mapped, Teredo (by its server) and 6to4. */
const IPV4_ALIASES = [IPV4_MAPPED, network("2001::/32"), network("2002::/16")];
/** `::` and `::1` are stored at 0.0.0.0/8, which no host uses. */
const UNUSED_IPV4 = network("::/104");

/**
 * The networks of a database, by the tree that they belong to. The format stores IPv4 at ::/96 of the IPv6 tree. IPv6
 * networks never extend into it, or a row on ::/8 would claim all of IPv4.
 */
export class Networks {
  readonly ipv4 = new RangeList(IPV4_WORDS);
  readonly ipv6 = new RangeList(IPV6_WORDS);
  readonly #ownAliases = new Set<Range>();
  #hasIpv4 = false;
  #hasIpv6: boolean;
  #isComplete = false;

  /** With 6, readers can look up IPv6 addresses even if there are no IPv6 networks. */
  constructor(minIpVersion: 4 | 6 = 4) {
    this.#hasIpv6 = minIpVersion === 6;
  }

  /** 4 only if no row has an IPv6 network, because readers of an IPv4 tree refuse IPv6 addresses. */
  get ipVersion(): 4 | 6 {
    return this.#hasIpv6 ? 6 : 4;
  }

  /** Returns a fault if the range cannot be stored in the tree. */
  add(range: Range, row: number): string | undefined {
    if (range.first.length === IPV4_WORDS) {
      this.#hasIpv4 = true;
      this.ipv4.add(range, row);
    } else if (isInside(range, IPV4_MAPPED) && !isInside(IPV4_MAPPED, range)) {
      // ::ffff:1.2.3.0/120 is another way to write 1.2.3.0/24. The whole block does not mean
      // 0.0.0.0/0: bogon lists use it for mapped addresses seen on the wire.
      this.#hasIpv4 = true;
      this.ipv4.add(ipv4Part(range), row);
    } else if (isInside(range, UNUSED_IPV4)) {
      this.#hasIpv6 = true;
      this.ipv4.add(ipv4Part(range), row);
    } else if (isInside(range, IPV4_SUBTREE)) {
      return "the network lies in ::/96, where an mmdb stores IPv4: write it as an IPv4 network";
    } else {
      this.#hasIpv6 = true;
      this.ipv6.add(range, row);
      for (const alias of IPV4_ALIASES) if (describesAlias(range, alias)) this.#ownAliases.add(alias);
    }
    return undefined;
  }

  /** The IPv6 ranges, including those that lead to the IPv4 tree. No range can be added after this. */
  ipv6WithIpv4(): RangeList {
    if (!this.#isComplete) this.#addIpv4Subtree();
    this.#isComplete = true;
    return this.ipv6;
  }

  #addIpv4Subtree(): void {
    this.ipv6.add(IPV4_SUBTREE, IPV4_TREE_ROW);
    // If there are no IPv4 networks, an alias would only be a hole in the networks around it.
    if (!this.#hasIpv4) return;
    for (const alias of IPV4_ALIASES) if (!this.#ownAliases.has(alias)) this.ipv6.add(alias, IPV4_TREE_ROW);
  }
}

/**
 * Whether a row is about the addresses of an alias itself. Then they are looked up as IPv6, not as IPv4. A larger
 * network around the alias (2000::/3) does not count.
 */
function describesAlias(range: Range, alias: Range): boolean {
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
