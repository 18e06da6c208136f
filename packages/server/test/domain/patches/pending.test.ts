import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import type { Build } from "../../../src/domain/builds/build.ts";
import { newAttempt } from "../../../src/domain/downloads/attempt.ts";
import { patchKeyOf } from "../../../src/domain/patches/patch.ts";
import { PendingPatches } from "../../../src/domain/patches/pending.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";
import { Depot } from "../builds/depot.ts";
import { sampleBuild } from "../builds/sample-build.ts";

for (const stage of eitherStage()) {
  describe(`Pending patches on ${stage.name}`, () => {
    let depot: Depot;
    let id: string;
    let count = 0;
    let builds: [Build, Build, Build];
    beforeAll(async () => {
      depot = await Depot.open(stage);
    });
    afterAll(() => depot.dispose());

    const publish = async (mark: string): Promise<Build> =>
      (await depot.publish(id, sampleBuild(id, { mark, formats: ["mmdb"] }))).build;

    async function download(build: Build, keyId: string): Promise<void> {
      const now = depot.clock.now();
      const names = { datasetId: build.versionId, format: "mmdb", sample: false, clientIp: "192.0.2.1", userAgent: "" };
      const result = { outcome: "ok", httpStatus: 302, buildId: build.id } as const;
      const request = { id: newId(now), api: "v2", ...names } as const;
      await depot.store.attempts.append([newAttempt(request, { organizationId: null, keyId }, result, now)]);
    }

    async function publishThree(): Promise<void> {
      if (id) await depot.store.change((tables) => tables.jobs.remove("make_patches", id));
      count += 1;
      id = await depot.addVersion(`some_v${count}`, ["mmdb"]);
      builds = [await publish("1"), await publish("2"), await publish("3")];
      for (const [place, build] of builds.entries()) await download(build, `key ${place}`);
    }

    /** Whether a client would wait for a patch from each build to the newest one. Earlier results are not cached. */
    async function pending({ bases = 2, waitSeconds = 120, to = builds[2] } = {}): Promise<boolean[]> {
      const found = new PendingPatches({ store: depot.store, clock: depot.clock.now, bases, waitSeconds });
      return Promise.all(builds.map((base) => found.has(to, "mmdb", base.files.mmdb?.checksums.sha256 ?? "")));
    }

    async function recordPatch(base: Build, isOffered: boolean): Promise<void> {
      const created = depot.clock.now();
      const patch = { id: newId(created), versionId: id, buildId: builds[2].id, baseBuildId: base.id };
      const objectKey = patchKeyOf(patch);
      await depot.objects.put(objectKey, Readable.from([Buffer.of(1)]));
      const file = isOffered ? { objectKey, sizeBytes: 1, sha256: "0".repeat(64) } : null;
      const baseSha256 = base.files.mmdb?.checksums.sha256 ?? "";
      const facts = { format: "mmdb", reason: isOffered ? null : "too large", durationMs: 1, created } as const;
      await depot.store.change((tables) => tables.patches.insert({ ...patch, ...facts, baseSha256, file }));
    }

    it("are those from the bases that the job will use, until two minutes after the publish", async () => {
      await publishThree();
      expect(await pending()).toEqual([true, true, false]);
      expect(await pending({ bases: 1 })).toEqual([false, true, false]);
      depot.clock.advance("119 seconds");
      expect(await pending()).toEqual([true, true, false]);
      depot.clock.advance("1 seconds");
      expect(await pending()).toEqual([false, false, false]);
    });

    it("are none if patches or waiting are turned off, for another build, and after the job failed or was lost", async () => {
      await publishThree();
      expect(await pending({ bases: 0 })).toEqual([false, false, false]);
      expect(await pending({ waitSeconds: 0 })).toEqual([false, false, false]);
      expect(await pending({ to: builds[1] })).toEqual([false, false, false]);
      const now = depot.clock.now();
      const job = await depot.store.jobs.claim("make_patches", { by: "test", until: new Date(now.getTime() + 1) }, now);
      const failed = { attempts: 7, due: now, error: "the disk is full", failed: now };
      await depot.store.jobs.release(job?.id ?? "", "test", failed);
      expect(await pending()).toEqual([false, false, false]);
      await depot.store.change((tables) => tables.jobs.remove("make_patches", id));
      expect(await pending()).toEqual([false, false, false]);
    });

    it("are none from a file whose patch was dropped, and remain until every register has those that were made", async () => {
      await publishThree();
      depot.clock.advance("60 seconds");
      await recordPatch(builds[1], true);
      await recordPatch(builds[0], false);
      expect(await pending()).toEqual([false, true, false]);
      await depot.store.change((tables) => tables.jobs.remove("make_patches", id));
      depot.clock.advance("119 seconds");
      expect(await pending()).toEqual([false, true, false]);
      depot.clock.advance("1 seconds");
      expect(await pending()).toEqual([false, false, false]);
    });

    it("are none while the database does not answer", async () => {
      await publishThree();
      const jobs = { ...depot.store.jobs, find: () => Promise.reject(new Error("the database is down")) };
      const store = { ...depot.store, jobs };
      const found = new PendingPatches({ store, clock: depot.clock.now, bases: 2, waitSeconds: 120 });
      expect(await found.has(builds[2], "mmdb", builds[1].files.mmdb?.checksums.sha256 ?? "")).toBe(false);
    });

    it("are none for the first build, nor for files too small for patches", async () => {
      count += 1;
      id = await depot.addVersion(`some_v${count}`, ["csvgz"]);
      const tiny = async (mark: string) =>
        (await depot.publish(id, sampleBuild(id, { mark, formats: ["csvgz"] }))).build;
      const [first, second] = [await tiny("1"), await tiny("2")];
      const found = new PendingPatches({ store: depot.store, clock: depot.clock.now, bases: 2, waitSeconds: 120 });
      const has = (build: Build, base: Build) => found.has(build, "csvgz", base.files.csvgz?.checksums.sha256 ?? "");
      expect(await has(second, first)).toBe(false);
      expect(await has(first, first)).toBe(false);
    });
  });
}
