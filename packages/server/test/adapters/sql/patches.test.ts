import { describe, expect, it } from "vitest";
import { engines, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import { TestClock } from "../../../../../rigs/harness/service/test-clock.ts";
import type { Build } from "../../../src/domain/builds/build.ts";
import type { PatchJob } from "../../../src/domain/patches/store.ts";
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

    async function queue({ id: buildId, versionId }: Build): Promise<void> {
      await opened.store.change((tables) => tables.patches.queue({ versionId, buildId, queued: clock.now() }));
    }

    const claim = (by: string) =>
      opened.store.change((tables) => tables.patches.claim({ by, until: inSeconds(60) }, clock.now()));

    async function emptyQueue(): Promise<void> {
      for (const { versionId } of await opened.store.patches.jobs()) await opened.store.patches.unqueue(versionId);
    }

    it("returns patches as they were stored, dropped ones included", async () => {
      const { store } = opened;
      const { old, current } = await twoBuilds();
      const offered = patch(current, old);
      const dropped = patch(current, old, { format: "csvgz", file: null, reason: "it saves too few bytes" });
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
      const dropped = patch(current, null, { file: null, reason: "it saves too few bytes" });
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

    it("lets exactly one of several processes claim a job, and only one job at a time", async () => {
      await emptyQueue();
      const [first, second] = [(await twoBuilds()).current, (await twoBuilds()).current];
      await queue(first);
      clock.advance("1 seconds");
      await queue(second);
      const claims = await Promise.all(Array.from({ length: 5 }, (_, index) => claim(`process ${index}`)));
      const claimed = claims.filter((job) => job !== undefined);
      expect(claimed).toMatchObject([{ versionId: first.versionId, buildId: first.id, attempts: 1 }]);
      expect(await opened.store.patches.isDue(clock.now())).toBe(false);
      const [job] = claimed as [PatchJob];
      await opened.store.patches.finish(job, job.claim?.by ?? "");
      expect(await claim("next")).toMatchObject({ buildId: second.id });
    });

    it("lets another process continue after the claim has expired, and ignores the first one from then on", async () => {
      await emptyQueue();
      const { current } = await twoBuilds();
      await queue(current);
      const first = (await claim("first")) as PatchJob;
      clock.advance("60 seconds");
      const second = (await claim("second")) as PatchJob;
      expect(second).toMatchObject({ buildId: current.id, attempts: 2 });
      const { patches } = opened.store;
      expect(await patches.extend(first, { by: "first", until: inSeconds(60) })).toBe(false);
      await patches.release(first, "first", { attempts: 1, nextAttempt: clock.now() });
      await patches.finish(first, "first");
      expect(await patches.extend(second, { by: "second", until: inSeconds(120) })).toBe(true);
      await patches.release(second, "second", { attempts: 2, nextAttempt: inSeconds(30) });
      expect(await claim("third")).toBeUndefined();
      clock.advance("30 seconds");
      expect(await claim("third")).toMatchObject({ attempts: 3, nextAttempt: null });
    });

    it("ends the claim when another build becomes current", async () => {
      await emptyQueue();
      const { old, current } = await twoBuilds();
      await queue(current);
      const job = (await claim("first")) as PatchJob;
      await queue(old);
      expect(await opened.store.patches.extend(job, { by: "first", until: inSeconds(60) })).toBe(false);
      expect(await claim("second")).toMatchObject({ buildId: old.id, attempts: 1 });
      await opened.store.change((tables) => tables.patches.unqueue(old.versionId));
      expect(await opened.store.patches.jobs()).toEqual([]);
    });
  });
}
