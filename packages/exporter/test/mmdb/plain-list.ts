import type { Place } from "./build-mmdb.ts";

/** A slow reference implementation of the tree that compares every address with every range, using BigInt. */
export interface PlainRange {
  family: 4 | 6;
  first: bigint;
  last: bigint;
}

export interface Probe {
  family: 4 | 6;
  address: bigint;
}

const IPV4_HOME: PlainRange = { family: 6, first: 0n, last: 2n ** 32n - 1n };
/** `shift` is the number of bits to the right of the embedded IPv4 address. */
const ALIASES: { range: PlainRange; shift: bigint }[] = [
  { range: block(0xffffn << 32n, 96n), shift: 0n },
  { range: block(0x2001n << 112n, 32n), shift: 64n },
  { range: block(0x2002n << 112n, 16n), shift: 80n },
];

export class PlainList {
  readonly #ranges: PlainRange[];

  constructor(ranges: PlainRange[]) {
    this.#ranges = ranges;
  }

  /** The number of the row that an address belongs to. */
  rowOf({ family, address }: Probe): number | undefined {
    if (family === 4) return this.#smallestAround(4, address);
    if (address <= IPV4_HOME.last) return this.#smallestAround(4, address);
    for (const { range, shift } of this.#aliases()) {
      if (holds(range, address)) return this.#smallestAround(4, (address >> shift) & 0xffffffffn);
    }
    return this.#smallestAround(6, address);
  }

  /** Counts the nodes of the smallest possible tree: every block that contains addresses of different rows. */
  countIpv4Nodes(): number {
    const blocks = new Set<string>();
    for (const { first, last } of this.#ranges) {
      for (const change of [first, last + 1n]) {
        if (change === 0n || change === 2n ** 32n) continue;
        if (this.#smallestAround(4, change) === this.#smallestAround(4, change - 1n)) continue;
        for (let bits = 0n; change % 2n ** (32n - bits) !== 0n; bits++) blocks.add(`${change >> (32n - bits)}/${bits}`);
      }
    }
    return Math.max(1, blocks.size);
  }

  /** The edges of every range and the addresses next to them. */
  edges(): Probe[] {
    return this.#ranges.flatMap(({ family, first, last }) =>
      [first - 1n, first, (first + last) / 2n, last, last + 1n]
        .filter((address) => address >= 0n && address < 2n ** (family === 4 ? 32n : 128n))
        .map((address) => ({ family, address })),
    );
  }

  #smallestAround(family: 4 | 6, address: bigint): number | undefined {
    let best: number | undefined;
    for (const [row, range] of this.#ranges.entries()) {
      if (range.family !== family || !holds(range, address)) continue;
      const current = best === undefined ? undefined : this.#ranges[best];
      if (current === undefined || range.last - range.first <= current.last - current.first) best = row;
    }
    return best;
  }

  #aliases() {
    if (!this.#ranges.some(({ family }) => family === 4)) return [];
    return ALIASES.filter(({ range: alias }) => !this.#ranges.some((range) => speaksOf(range, alias)));
  }
}

function speaksOf(range: PlainRange, alias: PlainRange): boolean {
  if (range.family === 4 || range.last < alias.first || range.first > alias.last) return false;
  const isLargerAround =
    range.first <= alias.first && range.last >= alias.last && range.last - range.first > alias.last - alias.first;
  return !isLargerAround;
}

function holds({ first, last }: PlainRange, address: bigint): boolean {
  return address >= first && address <= last;
}

export function block(address: bigint, prefixBits: bigint, family: 4 | 6 = 6): PlainRange {
  const size = 2n ** ((family === 4 ? 32n : 128n) - prefixBits);
  const first = (address / size) * size;
  return { family, first, last: first + size - 1n };
}

/** Returns a CIDR if the range is one block and `asRange` is not set. */
export function toPlace(range: PlainRange, asRange: boolean): Place {
  const size = range.last - range.first + 1n;
  const bits = size.toString(2).length - 1;
  if (asRange || size !== 2n ** BigInt(bits) || range.first % size !== 0n) {
    return [
      toText({ family: range.family, address: range.first }),
      toText({ family: range.family, address: range.last }),
    ];
  }
  return `${toText({ family: range.family, address: range.first })}/${(range.family === 4 ? 32 : 128) - bits}`;
}

export function toText({ family, address }: Probe): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 0xffn).join(".");
  return [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n].map((shift) => ((address >> shift) & 0xffffn).toString(16)).join(":");
}
