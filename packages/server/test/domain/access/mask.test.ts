import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maskKeys, PlainKey } from "../../../src/domain/access/secret.ts";

describe("maskKeys", () => {
  it.each([
    ["vpn_ip_v1", "vpn_ip_v1"],
    ["dbd_ip_v1", "dbd_ip_v1"],
    ["dbd_AAAAAAAA", "dbd_AAAAAAAA"],
    ["", ""],
    ["dbd_AAAAAAAA_0123456789", "dbd_AAAAAAAA_***"],
    ["x=dbd_AAAAAAAA_0123456789&y", "x=dbd_AAAAAAAA_***&y"],
    ["5b7e1c1e-6f0a-4a5e-9d59-0f0f6a3f2b11", "***"],
    ["5B7E1C1E6F0A4A5E9D590F0F6A3F2B11", "***"],
  ])("turns %j into %j", (text, masked) => {
    expect(maskKeys(text)).toBe(masked);
  });

  it("leaves nothing of a generated secret", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        const secret = PlainKey.generate().reveal();
        const masked = maskKeys(`${before} ${secret} ${after}`);
        expect(masked).not.toContain(secret.slice("dbd_12345678_".length));
        expect(masked).toContain(secret.slice(0, "dbd_12345678_".length));
      }),
    );
  });
});
