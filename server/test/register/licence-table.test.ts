import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newId } from "../../src/ids.ts";
import type { Licence } from "../../src/licences/licence.ts";
import { LicenceTable } from "../../src/register/licence-table.ts";
import { day, licence as licenceFor } from "../licences/terms.ts";

const licence = (but: Partial<Licence>) => licenceFor({ starts: day(0), expires: day(1), ...but });
const byId = (one: Licence, other: Licence) => (one.id < other.id ? -1 : 1);
const plain = ({ id, organizationId, base, redistribution, starts, expires, created }: Licence): Licence => {
  return { id, organizationId, base, redistribution, starts, expires, created };
};
const sorted = (licences: readonly Licence[]) => licences.map(plain).sort(byId);

describe("the table of licences", () => {
  it("gives back what was put in", () => {
    const table = new LicenceTable();
    const all = [
      licence({ organizationId: "acme", base: "vpn_ip", expires: null }),
      licence({ organizationId: "acme", base: "bogon_ip", redistribution: "internal", starts: new Date(0) }),
      licence({ organizationId: "beta", base: "vpn_ip", expires: new Date(8.64e15), created: day(9) }),
    ];
    for (const each of all) table.put(each);
    for (const each of all) expect(table.get(each.organizationId, each.base).map(plain)).toEqual([each]);
    expect(table.get("beta", "bogon_ip")).toEqual([]);
    expect(table.get("nobody", "vpn_ip")).toEqual([]);
    expect(table.get("acme", "nothing")).toEqual([]);
    expect(table.size).toBe(3);
  });

  it("has all licences of an organization for a family, each as it was put last", () => {
    const table = new LicenceTable();
    const three = [1, 2, 3].map((days) => licence({ organizationId: "acme", base: "vpn_ip", expires: day(days) }));
    for (const each of three) table.put(each);
    const [first, second, third] = three as [Licence, Licence, Licence];
    expect(sorted(table.get("acme", "vpn_ip"))).toEqual(three);
    const [ended, open] = [
      { ...first, expires: day(0) },
      { ...third, expires: null },
    ];
    table.put(ended);
    table.put(open);
    expect(sorted(table.get("acme", "vpn_ip"))).toEqual([ended, second, open]);
    expect(table.size).toBe(3);
  });

  it("holds what a map holds, whatever comes in whichever order", () => {
    const ids = Array.from({ length: 30 }, () => newId(day(0)));
    const step = fc.record({ id: fc.nat(29), organization: fc.nat(4), days: fc.nat(50) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const table = new LicenceTable();
        const map = new Map<string, Licence>();
        for (const { id, organization, days } of steps) {
          const known = map.get(ids[id] as string);
          const organizationId = known?.organizationId ?? `organization ${organization}`;
          const base = known?.base ?? `family ${id % 3}`;
          const each = licence({ id: ids[id] as string, organizationId, base, expires: day(days) });
          map.set(each.id, each);
          table.put(each);
          const alike = [...map.values()].filter((one) => one.organizationId === organizationId && one.base === base);
          expect(sorted(table.get(organizationId, base))).toEqual(sorted(alike));
        }
      }),
    );
  });

  it("grows: 60,000 licences are all found again, and no stranger has any", () => {
    const table = new LicenceTable();
    const all = Array.from({ length: 60_000 }, (_, i) =>
      licence({
        organizationId: `organization ${i % 1000}`,
        base: `family ${Math.floor(i / 1000)}`,
        starts: day(i % 90),
      }),
    );
    for (const each of all) table.put(each);
    expect(table.size).toBe(60_000);
    const wrong = all.filter(({ organizationId, base, id, starts }) => {
      const [found, ...more] = table.get(organizationId, base);
      return more.length > 0 || found?.id !== id || found.starts.getTime() !== starts.getTime();
    });
    expect(wrong).toEqual([]);
    expect(table.get("organization 1000", "family 0")).toEqual([]);
    expect(table.get("organization 0", "family 60")).toEqual([]);
  });

  it("grows: of three licences for the same family none is lost, in whatever order they were granted", () => {
    const table = new LicenceTable();
    const all = Array.from({ length: 30_000 }, (_, i) =>
      licence({ organizationId: `organization ${i % 1000}`, base: `family ${Math.floor(i / 1000) % 10}` }),
    );
    table.reserve(100);
    for (const each of all) table.put(each);
    const alike = Map.groupBy(all, ({ organizationId, base }) => `${organizationId}, ${base}`);
    expect(alike.size).toBe(10_000);
    const wrong = [...alike.values()].filter((three) => {
      const { organizationId, base } = three[0] as Licence;
      const found = table.get(organizationId, base).map(({ id }) => id);
      return found.sort().join() !== three.map(({ id }) => id).join();
    });
    expect(wrong).toEqual([]);
  });
});
