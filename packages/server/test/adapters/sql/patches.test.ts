import { describe, expect, it } from "vitest";
import { engines, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import { TestClock } from "../../../../../rigs/harness/service/test-clock.ts";
import type { Build } from "../../../src/domain/builds/build.ts";
import { build, patch, storedVersion } from "./samples.ts";

for (const engine of engines) {
  describe(`The store of patches on ${engine.name}`, () => {
    const opened = sharedStore(engine);
    const clock = new TestClock();
    const inSeconds = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000);

    /** Two builds of a new version, of which the second is current. */
    async function twoBuilds(): Promise<{ old: Build; current: Build }> {
      const { id } = await storedVersion(opened.store);
      const [old, current] = [build(id, { state: "published" }), build(id, { state: "published" })];
      await opened.store.change(async (tables) => {
        for (const one of [old, current]) await tables.builds.insert(one);
        await tables.builds.setSuperseded(old.id, clock.now());
        await tables.versions.setCurrentBuild(id, current.id);
      });
      return { old, current };
    }

    it("returns patches as they were stored, dropped ones included", async () => {
      const { store } = opened;
      const { old, current } = await twoBuilds();
      const offered = patch(current, old);
      const dropped = patch(current, old, {
        format: "csvgz",
        file: null,
        reason: "it would be larger than 30 % of the file",
      });
      const copy = patch(current, null);
      await store.change(async (tables) => {
        for (const one of [offered, dropped, copy]) await tables.patches.insert(one);
      });
      expect(await store.patches.ofBuilds([current.id])).toEqual([offered, dropped, copy]);
      expect(await store.patches.ofBuilds([old.id])).toEqual([]);
      expect(await store.patches.existing([offered.id, old.id])).toEqual(new Set([offered.id]));
      await store.patches.remove([offered.id]);
      expect(await store.patches.ofBuilds([current.id])).toEqual([dropped, copy]);
    });

    it("finds patches to builds that were replaced, but not to those that are current again", async () => {
      const { store } = opened;
      const { old, current } = await twoBuilds();
      const [superseded, offered] = [patch(old, current), patch(current, old)];
      await store.change(async (tables) => {
        for (const one of [superseded, offered]) await tables.patches.insert(one);
      });
      expect(await store.patches.supersededBefore(clock.now())).toEqual([]);
      expect(await store.patches.supersededBefore(inSeconds(1))).toEqual([superseded]);
      await store.change((tables) => tables.versions.setCurrentBuild(old.versionId, old.id));
      expect(await store.patches.supersededBefore(inSeconds(1))).toEqual([]);
      await store.patches.remove([superseded.id, offered.id]);
    });

    it("includes patches in dumps, with their files unless they were dropped", async () => {
      const { store } = opened;
      const { old, current } = await twoBuilds();
      const offered = patch(current, old);
      const dropped = patch(current, null, { file: null, reason: "it would be larger than 30 % of the file" });
      await store.change(async (tables) => {
        for (const one of [offered, dropped]) await tables.patches.insert(one);
      });
      const { files, rows } = await store.dump(async (dump) => {
        const batches = await Array.fromAsync(dump.batches());
        return { files: dump.files, rows: batches.flatMap((batch) => (batch.table === "patches" ? batch.rows : [])) };
      });
      const ids = [offered.id, dropped.id];
      expect(files).toContainEqual(offered.file);
      expect(rows.map(({ id }) => id).filter((id) => ids.includes(String(id)))).toEqual(ids);
      await store.patches.remove(ids);
    });

    it("gives registers new patches to current builds, and all of a build that becomes current", async () => {
      const { store } = opened;
      const { old, current } = await twoBuilds();
      const seen = await store.revision();
      const [offered, other] = [patch(current, old), patch(old, current)];
      const dropped = patch(current, old, { format: "csvgz", file: null, reason: "too large" });
      await store.change(async (tables) => {
        for (const one of [offered, other, dropped]) await tables.patches.insert(one);
      });
      expect((await store.changesSince(seen)).patches).toEqual([offered]);
      const later = await store.revision();
      expect((await store.changesSince(later)).patches).toEqual([]);
      await store.change((tables) => tables.versions.setCurrentBuild(old.versionId, old.id));
      expect((await store.changesSince(later)).patches).toEqual([other]);
      expect((await store.snapshot()).patches).toContainEqual(other);
    });
  });
}
