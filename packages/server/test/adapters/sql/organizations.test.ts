import { describe, expect, it } from "vitest";
import { engines, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";
import { day } from "../../domain/licences/terms.ts";
import { family, organization, storedOrganization } from "./samples.ts";

for (const engine of engines) {
  describe(`OrganizationStore on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    it("finds organizations by id and by name, as they were added", async () => {
      const { organizations } = opened.store;
      const acme = organization({
        name: "Acme 'Ünïcødé' \"🚀\" \\ %_;--",
        created: new Date("2027-03-04T05:06:07.089Z"),
        limits: { requests_per_minute: 1, downloads_per_day: null, bytes_per_month: 1e15, parallel_streams: 4 },
      });
      await opened.store.change((tables) => tables.organizations.insert(acme));
      expect(await organizations.byId(acme.id)).toEqual(acme);
      expect(await organizations.byName(acme.name)).toEqual(acme);
    });

    it("finds organizations only by their exact name", async () => {
      const { organizations } = opened.store;
      const beta = await storedOrganization(opened.store);
      for (const name of [beta.name.toUpperCase(), `${beta.name} `, beta.name.slice(0, -1), "%", ""]) {
        expect(await organizations.byName(name)).toBeUndefined();
      }
      expect(await organizations.byId(newId(day(0)))).toBeUndefined();
      expect(await organizations.byId(beta.id.toUpperCase())).toBeUndefined();
    });

    it("rejects a second organization with the same name", async () => {
      const gamma = await storedOrganization(opened.store);
      const twin = organization({ name: gamma.name });
      await expect(opened.store.change((tables) => tables.organizations.insert(twin))).rejects.toThrow(/unique/i);
      expect(await opened.store.organizations.byId(twin.id)).toBeUndefined();
    });
  });

  describe(`text order on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    it("is byte order, the same on both engines", async () => {
      const names = ["a", "B", "A", "b", "ab", "a b", "a-b", "a_b", "a.b", "Ä", "ä", "z", "Z", "é", "0", "10", "9"];
      const more = ["ß", "ss", "Ω", "я", "中", "🚀", "\u{ff5e}", "~", "!", "(", "acme", "Acme", "ACME", "e\u0301"];
      const expected = [...names, ...more].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
      await opened.store.change(async (tables) => {
        for (const name of [...names, ...more]) await tables.organizations.insert(organization({ name }));
      });
      const listed = await opened.store.organizations.list();
      expect(listed.map(({ name }) => name)).toEqual(expected);
    });

    it("also applies to families", async () => {
      const bases = ["b", "a", "A", "B", "a_", "a0", "_a", "aB", "ab", "Ab"];
      await opened.store.change(async (tables) => {
        for (const base of bases) await tables.families.insert(family({ base }));
      });
      const listed = await opened.store.families.list();
      expect(listed.map(({ base }) => base)).toEqual(["A", "Ab", "B", "_a", "a", "a0", "aB", "a_", "ab", "b"]);
    });
  });
}
