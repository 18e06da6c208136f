import { describe, expect, it } from "vitest";
import type { Licence } from "../../src/domain/licences/licence.ts";
import { LicenceIndex } from "../../src/register/licence-index.ts";
import { day, licence as licenceFor } from "../domain/licences/terms.ts";

const licence = (but: Partial<Licence>) => licenceFor({ starts: day(0), expires: day(1), ...but });

describe("LicenceIndex", () => {
  it("finds licences by organization and family", () => {
    const index = new LicenceIndex();
    const all = [
      licence({ organizationId: "acme", base: "vpn_ip", expires: null }),
      licence({ organizationId: "acme", base: "bogon_ip" }),
      licence({ organizationId: "beta", base: "vpn_ip" }),
    ];
    for (const each of all) index.set(each);
    for (const each of all) expect(index.get(each.organizationId, each.base)).toEqual([each]);
    expect(index.get("beta", "bogon_ip")).toEqual([]);
    expect(index.get("unknown", "vpn_ip")).toEqual([]);
  });

  it("keeps every licence of an organization for a family, and replaces one that has changed", () => {
    const index = new LicenceIndex();
    const [first, second, third] = [1, 2, 3].map((days) =>
      licence({ organizationId: "acme", base: "vpn_ip", expires: day(days) }),
    ) as [Licence, Licence, Licence];
    for (const each of [first, second, third]) index.set(each);
    expect(index.get("acme", "vpn_ip")).toEqual([first, second, third]);
    const ended = { ...first, expires: day(0) };
    index.set(ended);
    expect(new Set(index.get("acme", "vpn_ip"))).toEqual(new Set([ended, second, third]));
  });
});
