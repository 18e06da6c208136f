import { afterEach, describe, expect, it } from "vitest";
import { engines, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import { TestClock } from "../../../../../rigs/harness/service/test-clock.ts";
import { enqueue } from "../../../src/domain/jobs/jobs.ts";
import type { JobName } from "../../../src/domain/jobs/types.ts";

const LATER = { error: "busy", failed: null };

for (const engine of engines) {
  describe(`The store of jobs on ${engine.name}`, () => {
    const opened = sharedStore(engine);
    const clock = new TestClock();
    const inSeconds = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000);
    const claim = <Name extends JobName>(type: Name, by: string) =>
      opened.store.jobs.claim(type, { by, until: inSeconds(60) }, clock.now());

    async function addPair(from: string, to: string): Promise<void> {
      await enqueue(opened.store, "compare_builds", { from, to }, clock.now());
      clock.advance("1 seconds");
    }

    async function addPatches(versionId: string, buildId: string): Promise<void> {
      await enqueue(opened.store, "make_patches", { versionId, buildId }, clock.now());
      clock.advance("1 seconds");
    }

    afterEach(async () => {
      for (const { type, subject } of (await opened.store.jobs.page({}, {}, clock.now())).items) {
        await opened.store.jobs.remove(type, subject);
      }
    });

    it("has no job of a transaction that is rolled back", async () => {
      const failed = opened.store.change(async (tables) => {
        await enqueue(tables, "compare_builds", { from: "a", to: "b" }, clock.now());
        throw new Error("rolled back");
      });
      await expect(failed).rejects.toThrow("rolled back");
      expect(await opened.store.jobs.find("compare_builds", "a b")).toBeUndefined();
    });

    it("lets exactly one of several processes claim a job", async () => {
      await addPair("a", "b");
      const claims = await Promise.all(Array.from({ length: 10 }, (_, index) => claim("compare_builds", `${index}`)));
      const [job, ...others] = claims.filter((claimed) => claimed !== undefined);
      expect(job).toMatchObject({ type: "compare_builds", subject: "a b", data: { from: "a", to: "b" }, attempts: 1 });
      expect(others).toEqual([]);
      expect(await opened.store.jobs.dueTypes(clock.now())).toEqual([]);
    });

    it("runs as many jobs of a type at once as may run, the oldest or the newest first", async () => {
      await addPatches("old_v1", "build");
      await addPatches("new_v1", "build");
      const claims = await Promise.all(Array.from({ length: 10 }, (_, index) => claim("make_patches", `${index}`)));
      expect(claims.flatMap((job) => job?.subject ?? [])).toEqual(["old_v1"]);
      await addPair("old", "old");
      await addPair("new", "new");
      const names = ["first", "second", "third"];
      const subjects = [];
      for (const by of names) subjects.push((await claim("compare_builds", by))?.subject);
      expect(subjects).toEqual(["new new", "old old", undefined]);
    });

    it("lets another process continue after the claim has expired, and ignores the first one from then on", async () => {
      const { jobs } = opened.store;
      await addPatches("some_v1", "build");
      const { id = "" } = (await claim("make_patches", "first")) ?? {};
      clock.advance("60 seconds");
      expect(await claim("make_patches", "second")).toMatchObject({ id, attempts: 2 });
      expect(await jobs.extend(id, { by: "first", until: inSeconds(60) })).toBe(false);
      await jobs.release(id, "first", { ...LATER, attempts: 0, due: clock.now() });
      await jobs.finish(id, "first");
      expect(await jobs.extend(id, { by: "second", until: inSeconds(120) })).toBe(true);
      await jobs.release(id, "second", { ...LATER, attempts: 2, due: inSeconds(30) });
      expect(await claim("make_patches", "third")).toBeUndefined();
      clock.advance("30 seconds");
      expect(await claim("make_patches", "third")).toMatchObject({ attempts: 3, error: "busy" });
      await jobs.finish(id, "third");
      expect(await jobs.byId(id)).toBeUndefined();
    });

    it("keeps or replaces a job that is enqueued again, as its type says", async () => {
      const { jobs } = opened.store;
      await addPair("a", "b");
      const kept = await claim("compare_builds", "first");
      await addPair("a", "b");
      expect(await jobs.find("compare_builds", "a b")).toMatchObject({ id: kept?.id, attempts: 1 });
      await addPatches("some_v1", "first build");
      const replaced = await claim("make_patches", "first");
      await addPatches("some_v1", "second build");
      expect(await jobs.extend(replaced?.id ?? "", { by: "first", until: inSeconds(60) })).toBe(false);
      expect(await claim("make_patches", "second")).toMatchObject({ data: { buildId: "second build" }, attempts: 1 });
    });

    it("lists and counts jobs by state, and restarts those that failed until they are removed", async () => {
      const { jobs } = opened.store;
      const idsOf = async (state: "queued" | "running" | "failed") =>
        (await jobs.page({ state }, {}, clock.now())).items.map(({ subject }) => subject);
      await addPatches("running_v1", "build");
      await claim("make_patches", "first");
      await addPair("failed", "failed");
      const failed = await claim("compare_builds", "first");
      await jobs.release(failed?.id ?? "", "first", {
        attempts: 3,
        due: clock.now(),
        error: "no",
        failed: clock.now(),
      });
      await addPair("queued", "queued");
      expect(await idsOf("running")).toEqual(["running_v1"]);
      expect(await idsOf("failed")).toEqual(["failed failed"]);
      expect(await idsOf("queued")).toEqual(["queued queued"]);
      expect((await jobs.page({}, { search: "FAILED" }, clock.now())).items).toHaveLength(1);
      expect(await jobs.counts(clock.now())).toContainEqual({ type: "compare_builds", state: "failed", count: 1 });
      await jobs.restart(failed?.id ?? "", clock.now());
      expect(await idsOf("queued")).toHaveLength(2);
      clock.advance("60 seconds");
      expect(await idsOf("running")).toEqual([]);
      const again = await claim("compare_builds", "second");
      await jobs.release(again?.id ?? "", "second", { ...LATER, attempts: 1, due: clock.now(), failed: clock.now() });
      await jobs.removeFailed(clock.now());
      expect(await idsOf("failed")).toHaveLength(1);
      await jobs.removeFailed(inSeconds(1));
      expect(await idsOf("failed")).toEqual([]);
    });
  });
}
