import { describe, expect, it } from "vitest";
import { engines, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import type { Build } from "../../../src/domain/builds/build.ts";
import { day } from "../../domain/licences/terms.ts";
import { build, sharedFile, storedVersion, tableVersion } from "./samples.ts";

for (const engine of engines) {
  describe(`The store of tables on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    /** Two published builds of a new version with tables. */
    async function twoBuilds(): Promise<[Build, Build]> {
      const { id } = await storedVersion(opened.store, { tables: true });
      const builds: [Build, Build] = [build(id, { state: "published" }), build(id, { state: "published" })];
      await opened.store.change(async (tables) => {
        for (const one of builds) await tables.builds.insert(one);
      });
      return builds;
    }

    it("returns versions and files as they were stored", async () => {
      const { sharing } = opened.store;
      const [first, second] = await twoBuilds();
      const files = [sharedFile(first), sharedFile(second), sharedFile(second, { content: "changes", number: 2 })];
      const versions = [
        tableVersion(first),
        tableVersion(second, { number: 2, baseBuildId: first.id, changeFiles: 1 }),
        tableVersion(first, { number: 3, baseBuildId: second.id, noChanges: "the columns of the two builds differ" }),
      ];
      await sharing.insertFiles(files);
      await sharing.insertFiles([]);
      for (const version of versions) await sharing.insertVersion(version);
      expect(await sharing.versions(first.versionId)).toEqual(versions);
      expect(await sharing.latest(first.versionId)).toEqual(versions[2]);
      expect(await sharing.latest("other_v1")).toBeUndefined();
      expect(await sharing.filesOf([first.id, second.id])).toEqual(files);
      expect(await sharing.filesOf([first.id])).toEqual([files[0]]);
      expect(await sharing.existing([files[0]?.id ?? "", first.id])).toEqual(new Set([files[0]?.id]));
    });

    it("finds files that must no longer be offered, and those that have not been for a while", async () => {
      const { store } = opened;
      const { sharing } = store;
      const [first, second] = await twoBuilds();
      const [rows, changes, later] = [
        sharedFile(first),
        sharedFile(second, { content: "changes", number: 2 }),
        sharedFile(second),
      ];
      await sharing.insertFiles([rows, changes, later]);
      await sharing.insertVersion(tableVersion(first));
      await sharing.insertVersion(tableVersion(second, { number: 2, baseBuildId: first.id }));
      const ownIds = new Set([rows, changes, later].map(({ id }) => id));
      const unneeded = async () => (await sharing.unneeded()).filter(({ id }) => ownIds.has(id)).map(({ id }) => id);
      expect(await unneeded()).toEqual([]);
      await store.change((tables) => tables.builds.setState(first.id, { state: "removed" }));
      expect(await unneeded()).toEqual([rows.id]);
      await store.change((tables) => tables.builds.setState(first.id, { state: "withdrawn" }));
      expect((await unneeded()).sort()).toEqual([rows.id, changes.id].sort());
      const version = await store.versions.byId(first.versionId);
      if (version) await store.change((tables) => tables.versions.update({ ...version, tables: false }));
      expect((await unneeded()).sort()).toEqual([...ownIds].sort());
      await sharing.setObsolete([rows.id], day(1));
      expect(await sharing.filesOf([first.id])).toEqual([]);
      expect(await sharing.obsoleteBefore(day(1))).toEqual([]);
      expect(await sharing.obsoleteBefore(day(2))).toEqual([{ ...rows, obsolete: day(1) }]);
      await sharing.remove([rows.id, changes.id, later.id]);
      expect(await sharing.existing([...ownIds])).toEqual(new Set());
    });

    it("includes tables in dumps, with the files that are offered", async () => {
      const { store } = opened;
      const [first, second] = await twoBuilds();
      const [offered, obsolete] = [sharedFile(first), sharedFile(second, { obsolete: day(1) })];
      await store.sharing.insertFiles([offered, obsolete]);
      await store.sharing.insertVersion(tableVersion(first));
      const dumped = await store.dump(async ({ files, batches }) => {
        const tables = new Map<string, number>();
        for await (const { table, rows } of batches()) tables.set(table, (tables.get(table) ?? 0) + rows.length);
        return { keys: files.map(({ objectKey }) => objectKey), tables };
      });
      expect(dumped.keys).toContain(offered.objectKey);
      expect(dumped.keys).not.toContain(obsolete.objectKey);
      expect(dumped.tables.get("shared_tables")).toBeGreaterThan(0);
      expect(dumped.tables.get("shared_files")).toBeGreaterThan(1);
      await store.sharing.remove([offered.id, obsolete.id]);
    });
  });
}
