import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allowsAddress, areInside, requireCidr } from "../../../src/domain/access/cidrs.ts";

describe("requireCidr", () => {
  it.each([
    ["192.0.2.0/24", "192.0.2.0/24"],
    [" 10.0.0.0/8 ", "10.0.0.0/8"],
    ["192.0.2.7/32", "192.0.2.7/32"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["2001:db8::/32", "2001:db8::/32"],
    ["2001:DB8:0:0::/32", "2001:db8::/32"],
    ["2001:db8::7/128", "2001:db8::7/128"],
    ["::/0", "::/0"],
    // Addresses in it are compared as IPv4, so the CIDR is stored as IPv4, too.
    ["::ffff:10.0.0.0/104", "10.0.0.0/8"],
    ["::ffff:192.0.2.7/128", "192.0.2.7/32"],
    ["::ffff:0:0/96", "0.0.0.0/0"],
  ])("normalizes %s to %s", (text, kept) => {
    expect(requireCidr(text)).toBe(kept);
  });

  it.each([
    ["192.0.2.7/24", "did you mean 192.0.2.0/24?"],
    ["10.0.0.1/8", "did you mean 10.0.0.0/8?"],
    ["10.0.0.1/0", "did you mean 0.0.0.0/0?"],
    ["2001:db8::1/32", "did you mean 2001:db8::/32?"],
    ["::ffff:10.0.0.1/104", "did you mean 10.0.0.0/8?"],
    ["fe80::%eth0/64", "did you mean fe80::/64?"],
    ["192.0.2.7", "write 192.0.2.7/32"],
    ["2001:db8::7", "write 2001:db8::7/128"],
  ])("refuses %s with the hint: %s", (text, hint) => {
    expect(() => requireCidr(text)).toThrow(hint);
    expect(() => requireCidr(text)).toThrow(`"${text}"`);
  });

  it.each([
    ["", "like 192.0.2.0/24"],
    ["/8", "like 192.0.2.0/24"],
    ["10/8", "like 192.0.2.0/24"],
    ["10.0.0/8", "like 192.0.2.0/24"],
    ["010.0.0.0/8", "like 192.0.2.0/24"],
    ["0x0a.0.0.0/8", "like 192.0.2.0/24"],
    ["256.0.0.0/8", "like 192.0.2.0/24"],
    ["10.0.0.0 /8", "like 192.0.2.0/24"],
    ["example.com/24", "like 192.0.2.0/24"],
    ["10.0.0.0/", "from 0 to 32"],
    ["10.0.0.0/33", "from 0 to 32"],
    ["10.0.0.0/-1", "from 0 to 32"],
    ["10.0.0.0/08", "from 0 to 32"],
    ["10.0.0.0/8/8", "from 0 to 32"],
    ["10.0.0.0/255.0.0.0", "from 0 to 32"],
    ["10.0.0.0/8.0", "from 0 to 32"],
    ["2001:db8::/129", "from 0 to 128"],
    ["::ffff:10.0.0.0/8", "did you mean"],
  ])("refuses %j", (text, message) => {
    expect(() => requireCidr(text)).toThrow(message);
    expect(() => requireCidr(text)).toThrow(expect.objectContaining({ kind: "invalid" }));
  });

  it("returns a normalized CIDR unchanged", () => {
    // Excludes the deprecated form "::192.0.2.7", which ipaddr.js treats as IPv4 in IPv6.
    const anyAddress = fc.oneof(
      fc.ipV4(),
      fc.ipV6().filter((text) => !text.includes(".")),
    );
    fc.assert(
      fc.property(anyAddress, fc.nat({ max: 32 }), (address, length) => {
        const kept = normalize(`${address}/${length}`);
        expect(requireCidr(kept)).toBe(kept);
        expect(allowsAddress([kept], address)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("allowsAddress", () => {
  it.each([
    [["10.0.0.0/8"], "10.255.255.255", true],
    [["10.0.0.0/8"], "11.0.0.0", false],
    [["10.0.0.0/8"], "9.255.255.255", false],
    [["192.0.2.7/32"], "192.0.2.7", true],
    [["192.0.2.7/32"], "192.0.2.8", false],
    [["10.0.0.0/8", "192.0.2.0/24"], "192.0.2.200", true],
    [["10.0.0.0/8"], "::ffff:10.1.2.3", true],
    [["10.0.0.0/8"], "::ffff:11.1.2.3", false],
    [["::ffff:10.0.0.0/104"].map(requireCidr), "10.1.2.3", true],
    [["2001:db8::/32"], "2001:db8:ffff::1", true],
    [["2001:db8::/32"], "2001:db9::1", false],
    [["fe80::/10"], "fe80::1%eth0", true],
    [["0.0.0.0/0"], "198.51.100.1", true],
    [["0.0.0.0/0"], "2001:db8::1", false],
    [["::/0"], "2001:db8::1", true],
    [["::/0"], "198.51.100.1", false],
    [["10.0.0.0/8"], "", false],
    [["10.0.0.0/8"], "unknown", false],
    [["0.0.0.0/0", "::/0"], "10", false],
    [[], "198.51.100.1", true],
    [[], "unknown", true],
  ])("given %j, for %s returns %s", (cidrs, address, allowed) => {
    expect(allowsAddress(cidrs, address)).toBe(allowed);
  });
});

describe("areInside", () => {
  it.each([
    [[], [], true],
    [["10.0.0.0/8"], [], true],
    [[], ["10.0.0.0/8"], false],
    [["10.0.0.0/8"], ["10.0.0.0/8"], true],
    [["10.1.0.0/16"], ["10.0.0.0/8"], true],
    [["10.0.0.0/8"], ["10.0.0.0/16"], false],
    [["10.0.0.0/7"], ["10.0.0.0/8"], false],
    [["11.0.0.0/16"], ["10.0.0.0/8"], false],
    [["10.1.0.0/16", "192.0.2.0/25"], ["10.0.0.0/8", "192.0.2.0/24"], true],
    [["10.1.0.0/16", "192.0.3.0/24"], ["10.0.0.0/8", "192.0.2.0/24"], false],
    [["0.0.0.0/0"], ["10.0.0.0/8"], false],
    [["2001:db8:1::/48"], ["2001:db8::/32"], true],
    [["2001:db8::/32"], ["0.0.0.0/0"], false],
    [["10.0.0.0/8"], ["::/0"], false],
  ])("for %j in %j returns %s", (inner, outer, inside) => {
    expect(areInside(inner, outer)).toBe(inside);
  });

  it("returns true only if no address is outside", () => {
    const anyCidr = fc
      .tuple(fc.nat({ max: 3 }), fc.nat({ max: 3 }), fc.constantFrom(0, 7, 8, 9, 16, 24, 32))
      .map(([a, b, length]) => normalize(`${a}.${b}.0.0/${length}`));
    const anyAddress = fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 3 })).map(([a, b]) => `${a}.${b}.0.0`);
    const someCidrs = fc.array(anyCidr, { maxLength: 3 });
    fc.assert(
      fc.property(someCidrs, someCidrs, anyAddress, (inner, outer, address) => {
        if (areInside(inner, outer) && allowsAddress(inner, address)) expect(allowsAddress(outer, address)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

/** The normalized CIDR, or the one that the error message suggests. */
function normalize(text: string): string {
  try {
    return requireCidr(text);
  } catch (error) {
    return requireCidr(/did you mean (\S+)\?$/.exec((error as Error).message)?.[1] ?? "");
  }
}
