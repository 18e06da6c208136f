import { isIPv4, isIPv6 } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAddress } from "../../src/mmdb/address.ts";

const group = fc.oneof(fc.constant("0"), fc.stringMatching(/^[0-9a-fA-F]{1,5}$/));
const dotted = fc
  .array(fc.integer({ min: 0, max: 300 }), { minLength: 3, maxLength: 5 })
  .map((bytes) => bytes.join("."));
const nearlyIpv6 = fc
  .tuple(fc.array(fc.oneof(group, group, group, fc.constant("")), { maxLength: 9 }), fc.option(dotted))
  .map(([groups, end]) => [...groups, ...(end === null ? [] : [end])].join(":"));
const noise = fc.string({ unit: fc.constantFrom(..."0123456789abcdef:.%g /"), maxLength: 20 });

describe("parseAddress", () => {
  it("accepts the same addresses as Node, but no zones", () => {
    fc.assert(
      fc.property(fc.oneof(dotted, nearlyIpv6, fc.ipV6(), noise), (text) => {
        const expected = isIPv4(text) || (isIPv6(text) && !text.includes("%"));
        expect([text, parseAddress(text) !== undefined]).toEqual([text, expected]);
      }),
      { numRuns: 5000 },
    );
  });

  it("reads the words of IPv6", () => {
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        // The URL parser writes every IPv6 address in hexadecimal and in its shortest form.
        const short = new URL(`http://[${text}]`).hostname.slice(1, -1);
        const [head = "", tail = ""] = short.split("::");
        const [left, right] = [head, tail].map((part) => part.split(":").filter((one) => one !== ""));
        const zeros = new Array(8 - (left?.length ?? 0) - (right?.length ?? 0)).fill("0");
        const hex = [...(left ?? []), ...zeros, ...(right ?? [])].map((one) => one.padStart(4, "0")).join("");
        expect(
          parseAddress(text)
            ?.map((word) => word.toString(16).padStart(8, "0"))
            .join(""),
        ).toBe(hex);
      }),
    );
  });

  it("reads the words of IPv4", () => {
    expect([parseAddress("0.0.0.0"), parseAddress("255.255.255.255"), parseAddress("1.2.3.4")]).toEqual([
      [0],
      [0xffffffff],
      [0x01020304],
    ]);
  });
});
