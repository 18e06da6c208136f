import { describe, expect, it } from "vitest";
import { engines, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import { family, storedVersion, version } from "./samples.ts";

for (const engine of engines) {
  describe(`FamilyStore and VersionStore on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    it("return a family as it was added", async () => {
      const shown = family({ name: "VPN “IP”", visibility: "public", open: true });
      const hidden = family({ visibility: "private", created: new Date("2027-03-04T05:06:07.089Z") });
      await opened.store.change(async (tables) => {
        await tables.families.insert(shown);
        await tables.families.insert(hidden);
      });
      expect(await opened.store.families.byBase(shown.base)).toEqual(shown);
      expect(await opened.store.families.byBase(hidden.base)).toEqual(hidden);
      expect(await opened.store.families.byBase(shown.base.toUpperCase())).toBeUndefined();
      expect(await opened.store.families.byBase("")).toBeUndefined();
    });

    it("return a version as it was added", async () => {
      const { base } = await storedVersion(opened.store);
      const added = version(base, { number: 7, formats: ["csvgz"], summary: "A 'quoted' ünïcode line" });
      await opened.store.change((tables) => tables.versions.insert(added));
      expect(await opened.store.versions.byId(added.id)).toEqual(added);
      expect(await opened.store.versions.byId(base)).toBeUndefined();
    });

    it("list versions by family and then by number, not alphabetically", async () => {
      const { base } = await storedVersion(opened.store);
      const other = await storedVersion(opened.store);
      await opened.store.change(async (tables) => {
        for (const number of [10, 2, 999_999_999]) await tables.versions.insert(version(base, { number }));
      });
      const own = await opened.store.versions.list(base);
      expect(own.map(({ number }) => number)).toEqual([1, 2, 10, 999_999_999]);
      const all = await opened.store.versions.list();
      expect(all.filter((each) => each.base === base)).toEqual(own);
      expect(all.map(({ id }) => id)).toContain(other.id);
      const bases = all.map((each) => each.base);
      expect(bases).toEqual([...bases].sort());
    });

    it("set the current build and remove it again", async () => {
      const { versions } = opened.store;
      const mine = await storedVersion(opened.store);
      const other = await storedVersion(opened.store);
      await opened.store.change((tables) => tables.versions.setCurrentBuild(mine.id, "some build"));
      expect(await versions.byId(mine.id)).toEqual({ ...mine, currentBuildId: "some build" });
      expect(await versions.byId(other.id)).toEqual(other);
      await opened.store.change((tables) => tables.versions.setCurrentBuild(mine.id, null));
      expect(await versions.byId(mine.id)).toEqual(mine);
    });

    it.each([
      ["a family twice", async (id: string) => family({ base: id.replace(/_v1$/, "") }), "families"],
      ["a version twice", async (id: string) => version(id.replace(/_v1$/, "")), "versions"],
      ["a version of no family", async () => version("nothing"), "versions"],
    ] as const)("reject %s", async (_, make, table) => {
      const { id } = await storedVersion(opened.store);
      const before = await opened.dump();
      const wrong = await make(id);
      const adding = opened.store.change((tables) => tables[table].insert(wrong as never));
      await expect(adding).rejects.toThrow(/unique|foreign key/i);
      expect(await opened.dump()).toEqual(before);
    });

    it("reject an unknown visibility", async () => {
      const wrong = family({ visibility: "hidden" as "private" });
      await expect(opened.store.change((tables) => tables.families.insert(wrong))).rejects.toThrow(/constraint/i);
    });
  });
}
