import { describe, expect, it } from "vitest";
import { engines, sharedStore } from "../engines.ts";
import { day } from "../licences/terms.ts";
import { build, family, storedVersion, version } from "./samples.ts";

for (const engine of engines) {
  describe(`the catalogue on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    it("gives a family back as it was added", async () => {
      const shown = family({ name: "VPN “IP”", visibility: "public" });
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

    it("gives a version back as it was added", async () => {
      const { base } = await storedVersion(opened.store);
      const added = version(base, { number: 7, formats: ["csvgz"], summary: "A 'quoted' ünïcode line" });
      await opened.store.change((tables) => tables.versions.insert(added));
      expect(await opened.store.versions.byId(added.id)).toEqual(added);
      expect(await opened.store.versions.byId(base)).toBeUndefined();
    });

    it("lists versions by family and then by number, not by text", async () => {
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

    it("sets the build that is handed out, and takes it away again", async () => {
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
    ] as const)("does not take %s", async (_, make, table) => {
      const { id } = await storedVersion(opened.store);
      const before = await opened.dump();
      const wrong = await make(id);
      const adding = opened.store.change((tables) => tables[table].insert(wrong as never));
      await expect(adding).rejects.toThrow(/unique|foreign key/i);
      expect(await opened.dump()).toEqual(before);
    });

    it("does not take a visibility that is none", async () => {
      const wrong = family({ visibility: "hidden" as "private" });
      await expect(opened.store.change((tables) => tables.families.insert(wrong))).rejects.toThrow(/constraint/i);
    });
  });

  describe(`builds on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    it("come back as they were added, with every file", async () => {
      const { id } = await storedVersion(opened.store);
      const added = build(id, { state: "published", published: day(1), withdrawn: day(2), entries: 2 ** 40 });
      if (added.files.mmdb) added.files.mmdb.sizeBytes = Number.MAX_SAFE_INTEGER;
      await opened.store.change((tables) => tables.builds.insert(added));
      expect(await opened.store.builds.byId(added.id)).toEqual(added);
      expect(await opened.store.builds.byId("no such build")).toBeUndefined();
    });

    it("can have one file or none", async () => {
      const { id } = await storedVersion(opened.store);
      const { csvgz } = build(id).files;
      const some = [build(id, { files: {} }), build(id, { files: csvgz ? { csvgz } : {} })];
      await opened.store.change(async (tables) => {
        for (const each of some) await tables.builds.insert(each);
      });
      for (const each of some) expect(await opened.store.builds.byId(each.id)).toEqual(each);
    });

    it("keep the exporter's document byte for byte", async () => {
      const { id } = await storedVersion(opened.store);
      const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
      const documents = [
        Buffer.from('{"a":"\0"}\r\n \xff', "latin1"),
        every,
        Buffer.alloc(0),
        Buffer.alloc(300_000, 0),
      ];
      for (const metadata of documents) {
        const added = build(id, { metadata });
        await opened.store.change((tables) => tables.builds.insert(added));
        const found = await opened.store.builds.byId(added.id);
        expect(found?.metadata.equals(metadata)).toBe(true);
        expect(Buffer.isBuffer(found?.metadata)).toBe(true);
      }
    });

    it("are listed newest first, each with its own files, of one version", async () => {
      const { id } = await storedVersion(opened.store);
      const other = await storedVersion(opened.store);
      const added = [build(id), build(id), build(id)];
      await opened.store.change(async (tables) => {
        for (const each of [added[1], added[0], added[2], build(other.id)]) if (each) await tables.builds.insert(each);
      });
      expect(await opened.store.builds.list(id)).toEqual([...added].reverse());
      expect(await opened.store.builds.list("no such version")).toEqual([]);
    });

    it("change their state, and keep what is not said", async () => {
      const { id } = await storedVersion(opened.store);
      const [added, other] = [build(id), build(id)];
      await opened.store.change(async (tables) => {
        await tables.builds.insert(added);
        await tables.builds.insert(other);
        await tables.builds.setState(added.id, { state: "published", published: day(3) });
      });
      expect(await opened.store.builds.byId(added.id)).toEqual({ ...added, state: "published", published: day(3) });
      await opened.store.change((tables) =>
        tables.builds.setState(added.id, { state: "withdrawn", withdrawn: day(4) }),
      );
      await opened.store.change((tables) => tables.builds.setState(added.id, { state: "removed" }));
      const gone = { ...added, state: "removed", published: day(3), withdrawn: day(4) };
      expect(await opened.store.builds.byId(added.id)).toEqual(gone);
      expect(await opened.store.builds.byId(other.id)).toEqual(other);
    });

    it("never share an object: what is published is not overwritten", async () => {
      const { id } = await storedVersion(opened.store);
      const first = build(id);
      const second = build(id, { files: first.files });
      await opened.store.change((tables) => tables.builds.insert(first));
      await expect(opened.store.change((tables) => tables.builds.insert(second))).rejects.toThrow(/unique/i);
      expect(await opened.store.builds.list(id)).toEqual([first]);
    });

    it("belong to a version that exists", async () => {
      const orphan = build("nothing_v1");
      await expect(opened.store.change((tables) => tables.builds.insert(orphan))).rejects.toThrow(/foreign key/i);
    });
  });
}
