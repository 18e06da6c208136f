import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { requireWebhookUrl } from "../../../src/domain/webhooks/url.ts";
import { Fault } from "../../../src/platform/primitives/faults.ts";

describe("URLs of webhooks", () => {
  it("are accepted or refused with a fault, whatever the text", () => {
    const urls = fc.oneof(
      fc.string({ unit: "binary", maxLength: 3000 }),
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      fc.oneof(fc.ipV4Extended(), fc.ipV6(), fc.integer()).map((host) => `https://${host}/`),
    );
    fc.assert(
      fc.property(urls, (text) => {
        try {
          const url = new URL(requireWebhookUrl(text, []));
          expect(url).toMatchObject({ protocol: "https:", username: "", password: "", hash: "" });
        } catch (error) {
          expect(error).toBeInstanceOf(Fault);
        }
      }),
    );
  });

  it("never point to this machine, however its address is written", () => {
    for (const host of ["127.0.0.1", "2130706433", "0x7f.1", "0177.0.0.1", "[::1]", "[::ffff:7f00:1]", "0"]) {
      expect(() => requireWebhookUrl(`https://${host}/`, []), host).toThrow(Fault);
    }
  });
});
