import { afterEach, describe, expect, it } from "vitest";
import { eitherEngine, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import { TestClock } from "../../../../../rigs/harness/service/test-clock.ts";
import { enqueue, retryJob } from "../../../src/domain/jobs/jobs.ts";
import { type JobHandlers, JobRunner } from "../../../src/domain/jobs/runner.ts";

const REGISTER = { revision: 0 };

for (const engine of eitherEngine()) {
  describe(`The runner of jobs on ${engine.name}`, () => {
    const opened = sharedStore(engine);
    const clock = new TestClock();
    const failures: string[] = [];
    const runners: JobRunner[] = [];

    function runner(handlers: JobHandlers): JobRunner {
      const onFailure = (message: string) => failures.push(message);
      const one = new JobRunner({ store: opened.store, handlers, clock: clock.now, onFailure });
      runners.push(one);
      return one;
    }

    const compare = (to: string) => enqueue(opened.store, "compare_builds", { from: "a", to }, clock.now());
    const find = (to: string) => opened.store.jobs.find("compare_builds", `a ${to}`);

    afterEach(async () => {
      for (const one of runners.splice(0)) await one.stop();
      failures.length = 0;
    });

    it("retries with growing delays, then calls it failed until an operator retries it", async () => {
      const given: string[] = [];
      let isBroken = true;
      const one = runner({
        compare_builds: {
          run: async () => {
            if (isBroken) throw new Error("the disk is full");
          },
          onFailed: async ({ to }) => void given.push(to),
        },
      });
      const attempt = () => one.runNext("compare_builds");
      await compare("b");
      expect(await attempt()).toBe(true);
      expect(await find("b")).toMatchObject({ attempts: 1, error: "the disk is full", failed: null });
      clock.advance("59 seconds");
      expect(await attempt()).toBe(false);
      clock.advance("1 seconds");
      expect(await attempt()).toBe(true);
      clock.advance("119 seconds");
      expect(await attempt()).toBe(false);
      clock.advance("1 seconds");
      expect(given).toEqual([]);
      expect(await attempt()).toBe(true);
      expect(given).toEqual(["b"]);
      expect(failures).toEqual([
        "the job compare_builds (a b) failed; retrying",
        "the job compare_builds (a b) failed; retrying",
        "the job compare_builds (a b) failed",
      ]);
      clock.advance("30 days");
      expect(await attempt()).toBe(false);
      isBroken = false;
      const { id = "" } = (await find("b")) ?? {};
      const operation = { store: opened.store, actor: "ada@example.com", now: clock.now() };
      expect(await retryJob(operation, id)).toMatchObject({ attempts: 0, failed: null });
      const [entry] = await opened.store.audit.list({ subjects: [id], limit: 1 });
      expect(entry).toMatchObject({ action: "job.retried", before: { error: "the disk is full" } });
      expect(await attempt()).toBe(true);
      expect(await find("b")).toBeUndefined();
    });

    it("gives up on a job that ended the process each time", async () => {
      await compare("killer");
      for (let attempt = 1; attempt <= 3; attempt += 1) {
        const killed = Promise.withResolvers<void>();
        const run = () => {
          killed.resolve();
          return new Promise<void>(() => {});
        };
        void runner({ compare_builds: { run } }).runNext("compare_builds");
        await killed.promise;
        clock.advance("61 seconds");
      }
      runners.length = 0;
      expect(await runner({ compare_builds: { run: async () => {} } }).runNext("compare_builds")).toBe(true);
      expect(await find("killer")).toMatchObject({
        error: "the server stopped each time while it ran",
        failed: clock.now(),
      });
      await opened.store.jobs.remove("compare_builds", "a killer");
    });

    it("stores nothing for a job that was replaced while it ran", async () => {
      const patches = (buildId: string) =>
        enqueue(opened.store, "make_patches", { versionId: "some_v1", buildId }, clock.now());
      await patches("first");
      const done: string[] = [];
      const one = runner({
        make_patches: {
          async run({ buildId }, { change }) {
            if (buildId === "first") await patches("second");
            await change(async () => void done.push(buildId));
          },
        },
      });
      while (await one.runNext("make_patches"));
      expect(done).toEqual(["second"]);
      expect(failures).toEqual([]);
    });

    it("runs several types at once, but no more jobs of a type than may run in one process", async () => {
      const running: string[] = [];
      const peaks = { patches: 0, pairs: 0 };
      const release = Promise.withResolvers<void>();
      const work = (type: "patches" | "pairs") => ({
        async run() {
          running.push(type);
          peaks[type] = Math.max(peaks[type], running.filter((name) => name === type).length);
          await release.promise;
          running.splice(running.indexOf(type), 1);
        },
      });
      for (const to of ["c", "d", "e"]) await compare(to);
      await enqueue(opened.store, "make_patches", { versionId: "some_v1", buildId: "b" }, clock.now());
      const one = runner({ compare_builds: work("pairs"), make_patches: work("patches") });
      one.start(REGISTER);
      await expect.poll(() => running.toSorted()).toEqual(["pairs", "patches"]);
      release.resolve();
      await expect.poll(() => find("c")).toBeUndefined();
      await expect.poll(() => opened.store.jobs.page({}, {}, clock.now())).toEqual({ items: [], next: undefined });
      expect(peaks).toEqual({ patches: 1, pairs: 1 });
    });

    it("leaves the jobs of a type without a handler to other processes", async () => {
      await enqueue(opened.store, "make_patches", { versionId: "some_v1", buildId: "b" }, clock.now());
      await compare("f");
      runner({ compare_builds: { run: async () => {} } }).start(REGISTER);
      await expect.poll(() => find("f")).toBeUndefined();
      expect(await opened.store.jobs.find("make_patches", "some_v1")).toMatchObject({ attempts: 0, claim: null });
      await opened.store.jobs.remove("make_patches", "some_v1");
    });

    it("repeats periodic work in one of several processes, also after it failed", async () => {
      let count = 0;
      const handler = {
        async run() {
          count += 1;
          if (count === 2) throw new Error("the storage is down");
        },
      };
      const [one, other] = [runner({ remove_patches: handler }), runner({ remove_patches: handler })];
      for (const each of [one, other]) each.start(REGISTER);
      for (const expected of [1, 2, 3]) {
        await expect.poll(() => count).toBe(expected);
        const settled = { claim: null, error: expected === 2 ? "the storage is down" : null, failed: null };
        await expect.poll(() => opened.store.jobs.find("remove_patches", "")).toMatchObject(settled);
        clock.advance("60 seconds");
        for (const each of [one, other]) each.wake();
      }
    });
  });
}
