import { createHash, randomBytes } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import type { Build } from "../../../src/domain/builds/build.ts";
import { rollBack, withdrawBuild } from "../../../src/domain/builds/rollback.ts";
import { type Attempt, newAttempt } from "../../../src/domain/downloads/attempt.ts";
import { enqueue, retryJob } from "../../../src/domain/jobs/jobs.ts";
import { JobRunner } from "../../../src/domain/jobs/runner.ts";
import { PATCH_LIMITS, type PatchJobOptions, patchJob } from "../../../src/domain/patches/job.ts";
import { type MakePatch, makePatchInThread } from "../../../src/domain/patches/make-patch.ts";
import { patchKeyOf } from "../../../src/domain/patches/patch.ts";
import { removalJob } from "../../../src/domain/patches/removal.ts";
import { sweep } from "../../../src/domain/retention/leftovers.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";
import { Depot } from "../builds/depot.ts";
import { sampleBuild } from "../builds/sample-build.ts";

/** Stands for a real patch: what matters here is when it is made, stored, offered and removed. */
const fakePatch: MakePatch = async ({ basePath, resultPath, patchPath }) => {
  const base = basePath === null ? Buffer.of() : await readFile(basePath);
  const result = await readFile(resultPath);
  const bytes = Buffer.from(`${digestOf(base)} ${digestOf(result)}`);
  await writeFile(patchPath, bytes);
  return { sizeBytes: bytes.length, sha256: digestOf(bytes) };
};

function rethrow(_message: string, error: unknown): never {
  throw error;
}

function digestOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

for (const stage of eitherStage()) {
  describe(`Making patches on ${stage.name}`, () => {
    let depot: Depot;
    let id: string;
    let count = 0;
    beforeAll(async () => {
      depot = await Depot.open(stage);
    });
    afterAll(() => depot.dispose());

    async function newVersion(): Promise<void> {
      count += 1;
      id = await depot.addVersion(`some_v${count}`, ["mmdb"]);
    }

    async function publish(mark: string, options = {}): Promise<Build> {
      return (await depot.publish(id, sampleBuild(id, { mark, formats: ["mmdb"] }), options)).build;
    }

    async function downloads(build: Build, key: string, more: Partial<Attempt> = {}): Promise<void> {
      depot.clock.advance("1 seconds");
      const now = depot.clock.now();
      const [datasetId, format, clientIp] = [build.versionId, "mmdb", "192.0.2.1"];
      const request = { id: newId(now), api: "v2", datasetId, format, sample: false, clientIp, userAgent: "" } as const;
      const result = { outcome: "ok", httpStatus: 302, bytes: 1, buildId: build.id } as const;
      const attempt = newAttempt(request, { organizationId: newId(now), keyId: key }, result, now);
      await depot.store.attempts.append([{ ...attempt, organizationId: null, ...more }]);
    }

    type Options = Partial<PatchJobOptions> & { onFailure?(message: string, error: unknown): void };

    function runner({ onFailure = rethrow, ...options }: Options = {}): JobRunner {
      const { store, objects, settings } = depot;
      const clock = depot.clock.now;
      const patches = { bases: 2, directory: join(settings.dataDir, "patches"), limits: PATCH_LIMITS };
      return new JobRunner({
        store,
        clock,
        handlers: {
          make_patches: patchJob({
            ...patches,
            selection: "all",
            store,
            objects,
            clock,
            makePatch: fakePatch,
            onPatch: () => {},
            ...options,
          }),
          remove_patches: removalJob({ store, objects, clock, linkTtlSeconds: 900 }),
        },
        onFailure,
      });
    }

    /** Runs all jobs that are due. */
    async function work(options: Options = {}): Promise<void> {
      const one = runner(options);
      while (await one.runNext("make_patches"));
    }

    const job = () => depot.store.jobs.find("make_patches", id);
    const patchesTo = (build: Build) => depot.store.patches.ofBuilds([build.id]);
    const basesOfPatchesTo = async (build: Build) => (await patchesTo(build)).map(({ baseBuildId }) => baseBuildId);
    const storedPatches = async () =>
      (await depot.keys()).filter((key) => key.startsWith(`${id}/`) && key.endsWith(".patch"));
    const localFiles = () => readdir(join(depot.settings.dataDir, "patches"));

    it("makes patches from the newest builds, stores them and leaves no local files", async () => {
      await newVersion();
      const builds = [await publish("1"), await publish("2"), await publish("3"), await publish("4")];
      const [, second, third, current] = builds as [Build, Build, Build, Build];
      await work();
      const patches = await patchesTo(current);
      expect(patches).toMatchObject([
        { baseBuildId: third.id, baseSha256: third.files.mmdb?.checksums.sha256, reason: null },
        { baseBuildId: second.id, baseSha256: second.files.mmdb?.checksums.sha256, reason: null },
        { baseBuildId: null, reason: null },
      ]);
      expect(await storedPatches()).toEqual(patches.map(patchKeyOf).sort());
      const [first] = patches;
      const stored = await Array.fromAsync(await depot.objects.read(first?.file?.objectKey ?? ""));
      expect(digestOf(Buffer.concat(stored))).toBe(first?.file?.sha256);
      expect(await localFiles()).toEqual([]);
      expect(await job()).toBeUndefined();
    });

    it("makes patches only from builds that a customer downloaded last, the newest first", async () => {
      await newVersion();
      const builds = [await publish("1"), await publish("2"), await publish("3"), await publish("4")];
      const [oldest, second, third, fourth] = builds as [Build, Build, Build, Build];
      await downloads(second, "daily");
      await downloads(oldest, "weekly");
      await downloads(third, "daily");
      await downloads(second, "other", { sample: true });
      await downloads(second, "other", { outcome: "denied" });
      const current = await publish("5");
      await downloads(current, "weekly");
      await work({ bases: 7, selection: "downloaded" });
      expect(await basesOfPatchesTo(current)).toEqual([third.id, oldest.id, null]);
      depot.clock.advance("31 days");
      const next = await publish("6");
      await downloads(fourth, "daily");
      await work({ bases: 7, selection: "downloaded" });
      expect(await basesOfPatchesTo(next)).toEqual([fourth.id, null]);
    });

    it("drops a patch that saves too few bytes, and says so as a share of the file", async () => {
      await newVersion();
      const random = () => randomBytes(70_000).toString("hex");
      await publish(random());
      const current = await publish(random());
      await work({ makePatch: makePatchInThread });
      expect((await patchesTo(current))[0]).toMatchObject({
        file: null,
        reason: "it would be larger than 30 % of the file",
      });
    });

    it("records why a patch was dropped, and does not try it again", async () => {
      await newVersion();
      await publish("1");
      const current = await publish("2");
      await work({ makePatch: async () => ({ dropped: "it would be larger than 30 % of the file" }) });
      expect(await patchesTo(current)).toMatchObject([
        { file: null, reason: "it would be larger than 30 % of the file" },
        { file: null, reason: "it would be larger than 30 % of the file" },
      ]);
      await enqueue(depot.store, "make_patches", { versionId: id, buildId: current.id }, depot.clock.now());
      await work({ makePatch: () => Promise.reject(new Error("tried again")) });
      expect(await storedPatches()).toEqual([]);
    });

    it("continues a job that was killed, and removes what it left", async () => {
      await newVersion();
      const [older, base] = [await publish("1"), await publish("2")];
      const current = await publish("3");
      let calls = 0;
      const killed = Promise.withResolvers<void>();
      const hangs: MakePatch = async (work, limits, signal) => {
        calls += 1;
        if (calls === 1) return fakePatch(work, limits, signal);
        await writeFile(work.patchPath, "half a patch");
        killed.resolve();
        return new Promise(() => {});
      };
      void runner({ makePatch: hangs }).runNext("make_patches");
      await killed.promise;
      await depot.objects.put(
        patchKeyOf({ versionId: id, buildId: current.id, id: newId(new Date()) }),
        Readable.from([]),
      );
      expect(await runner().runNext("make_patches")).toBe(false);
      depot.clock.advance("61 seconds");
      await work();
      expect(await basesOfPatchesTo(current)).toEqual([base.id, older.id, null]);
      expect(await storedPatches()).toEqual((await patchesTo(current)).map(patchKeyOf).sort());
      expect(await localFiles()).toEqual([]);
    });

    it("discards a patch whose build was replaced while it was made", async () => {
      await newVersion();
      const base = await publish("1");
      const replaced = await publish("2");
      let current: Build | undefined;
      await work({
        makePatch: async (...parameters) => {
          current ??= await publish("3");
          return fakePatch(...parameters);
        },
      });
      expect(await patchesTo(replaced)).toEqual([]);
      expect(await basesOfPatchesTo(current as Build)).toEqual([replaced.id, base.id, null]);
      expect(await storedPatches()).toHaveLength(3);
    });

    it("tries a job that failed again later, gives up in the end, and makes its patches if it is retried", async () => {
      await newVersion();
      await publish("1");
      const current = await publish("2");
      const failures: string[] = [];
      const failing = {
        makePatch: () => Promise.reject(new Error("the disk is full")),
        onFailure: (message: string) => failures.push(message),
      };
      for (let attempt = 1; attempt <= 7; attempt += 1) {
        await work(failing);
        expect(failures).toHaveLength(attempt);
        depot.clock.advance("7200 seconds");
      }
      await work(failing);
      expect(failures).toHaveLength(7);
      expect(await job()).toMatchObject({ attempts: 7, error: "the disk is full", failed: expect.any(Date) });
      expect(await localFiles()).toEqual([]);
      await retryJob(depot.operation(), (await job())?.id ?? "");
      await work();
      expect(await patchesTo(current)).toHaveLength(2);
      expect(await job()).toBeUndefined();
    });

    it("hands the job on when it is stopped, without counting the attempt", async () => {
      await newVersion();
      await publish("1");
      const current = await publish("2");
      const started = Promise.withResolvers<void>();
      const stopped = runner({
        makePatch: (_work, _limits, signal) =>
          new Promise((_, reject) => {
            signal.addEventListener("abort", () => reject(signal.reason));
            started.resolve();
          }),
      });
      const running = stopped.runNext("make_patches");
      await started.promise;
      await stopped.stop();
      await running;
      expect(await job()).toMatchObject({ attempts: 0, claim: null });
      await work();
      expect(await patchesTo(current)).toHaveLength(2);
    });

    it("makes patches to a build that was rolled back to, and from one that was withdrawn", async () => {
      await newVersion();
      const [first, second] = [await publish("1"), await publish("2")];
      await work();
      await rollBack(depot.operation(), { versionId: id });
      await work();
      expect(await basesOfPatchesTo(first)).toEqual([second.id, null]);
      const third = await publish("3");
      await withdrawBuild(depot.operation(), third.id);
      await work();
      expect(await basesOfPatchesTo(first)).toEqual([second.id, null, third.id]);
      expect(await patchesTo(third)).toEqual([]);
    });

    it("removes patches to superseded builds once no link to them works", async () => {
      await newVersion();
      await publish("1");
      const superseded = await publish("2");
      await work();
      const current = await publish("3");
      await work();
      const remove = async () => {
        await enqueue(depot.store, "remove_patches", {}, depot.clock.now());
        expect(await runner().runNext("remove_patches")).toBe(true);
      };
      await remove();
      expect(await patchesTo(superseded)).toHaveLength(2);
      // A link that was made just before the publish still works.
      depot.clock.advance("899 seconds");
      await remove();
      expect(await patchesTo(superseded)).toHaveLength(2);
      expect(await storedPatches()).toHaveLength(5);
      depot.clock.advance("62 seconds");
      await remove();
      expect(await patchesTo(superseded)).toEqual([]);
      expect(await storedPatches()).toEqual((await patchesTo(current)).map(patchKeyOf).sort());
    });

    it("has no job for a version whose last build was withdrawn", async () => {
      await newVersion();
      const only = await publish("1");
      await withdrawBuild(depot.operation(), only.id);
      expect(await job()).toBeUndefined();
    });

    it("lets a sweep delete stored patches that are not recorded, and no others", async () => {
      await newVersion();
      await publish("1");
      const current = await publish("2");
      await work();
      const orphan = patchKeyOf({ versionId: id, buildId: current.id, id: newId(new Date()) });
      await depot.objects.put(orphan, Readable.from([Buffer.from("left")]));
      const { objects } = await sweep(depot.operation(), depot.objects, new Date(Date.now() + 60_000));
      expect(objects.map(({ key }) => key)).toEqual([orphan]);
      expect(await storedPatches()).toHaveLength(2);
    });
  });
}
