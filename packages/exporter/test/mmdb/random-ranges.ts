import fc from "fast-check";
import { block, type PlainRange } from "./plain-list.ts";

// Most ranges are near one of these addresses, so that they nest, touch, overlap and repeat. Some are anywhere.
const HOT_IPV4 = [0x01020300n, 0x0a000000n, 0xc0a80000n, 0x7fffffffn, 0xffffffffn, 0x01000000n];
const HOT_IPV6 = [
  0x20010db8n << 96n,
  0x20010000n << 96n,
  (0x20010000n << 96n) | (0x0102n << 80n),
  0x2002n << 112n,
  (0x20020102n << 96n) | (0x0304n << 80n),
  0x2003n << 112n,
  1n << 32n,
  2n ** 127n,
  2n ** 128n - 1n,
];

export const ipv4Range = rangeAround(4, HOT_IPV4);
/** Excludes ranges inside ::/96 and ::ffff:0:0/96, which have their own rules. */
export const ipv6Range = rangeAround(6, HOT_IPV6).filter(
  ({ first, last }) => last >= 2n ** 32n && !(first >> 32n === 0xffffn && last >> 32n === 0xffffn),
);
export const anyRange = fc.oneof(ipv4Range, ipv6Range);

function rangeAround(family: 4 | 6, hot: bigint[]): fc.Arbitrary<PlainRange> {
  const highest = family === 4 ? 2n ** 32n - 1n : 2n ** 128n - 1n;
  const clamp = (address: bigint) => (address < 0n ? 0n : address > highest ? highest : address);
  const address = fc.oneof(
    { weight: 4, arbitrary: fc.tuple(fc.constantFrom(...hot), fc.bigInt(-300n, 300n)).map(([a, b]) => clamp(a + b)) },
    { weight: 1, arbitrary: fc.bigInt(0n, highest) },
  );
  const cidr = fc
    .tuple(address, fc.integer({ min: 0, max: family === 4 ? 32 : 128 }))
    .map(([a, bits]) => block(a, BigInt(bits), family));
  const span = fc.tuple(address, address).map(([a, b]) => ({ family, first: a < b ? a : b, last: a < b ? b : a }));
  const short = fc.tuple(address, fc.bigInt(0n, 70n)).map(([a, size]) => ({ family, first: a, last: clamp(a + size) }));
  return fc.oneof(cidr, cidr, span, short);
}
