import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import type { Build } from "../../../src/domain/builds/build.ts";
import { rollBack, withdrawBuild } from "../../../src/domain/builds/rollback.ts";
import { sweep } from "../../../src/domain/builds/sweep.ts";
import type { MakePatch } from "../../../src/domain/patches/make-patch.ts";
import { type MakerOptions, PATCH_LIMITS, PatchMaker, removeSuperseded } from "../../../src/domain/patches/maker.ts";
import { patchKeyOf } from "../../../src/domain/patches/patch.ts";
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

    function maker(options: Partial<MakerOptions> = {}): PatchMaker {
      const { store, objects, clock, settings } = depot;
      return new PatchMaker({
        store,
        objects,
        clock: clock.now,
        bases: 2,
        directory: join(settings.dataDir, "patches"),
        limits: PATCH_LIMITS,
        linkTtlSeconds: 900,
        makePatch: fakePatch,
        onPatch: () => {},
        onFailure: (_, error) => {
          throw error;
        },
        ...options,
      });
    }

    /** Runs all jobs that are due. */
    async function work(options: Partial<MakerOptions> = {}): Promise<void> {
      const one = maker(options);
      while (await one.runNext());
    }

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
      expect(await depot.store.patches.jobs()).toEqual([]);
    });

    it("records why a patch was dropped, and does not try it again", async () => {
      await newVersion();
      await publish("1");
      const current = await publish("2");
      await work({ makePatch: async () => ({ dropped: "it saves too few bytes" }) });
      expect(await patchesTo(current)).toMatchObject([
        { file: null, reason: "it saves too few bytes" },
        { file: null, reason: "it saves too few bytes" },
      ]);
      await depot.store.change((tables) =>
        tables.patches.queue({ versionId: id, buildId: current.id, queued: depot.clock.now() }),
      );
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
      void maker({ makePatch: hangs }).runNext();
      await killed.promise;
      await depot.objects.put(
        patchKeyOf({ versionId: id, buildId: current.id, id: newId(new Date()) }),
        Readable.from([]),
      );
      expect(await maker().runNext()).toBe(false);
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

    it("tries a job that failed again later, and gives up in the end", async () => {
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
      expect(await patchesTo(current)).toMatchObject([
        { file: null, reason: "making it failed 7 times" },
        { file: null, reason: "making it failed 7 times" },
      ]);
      expect(await localFiles()).toEqual([]);
    });

    it("hands the job on when it is stopped, without counting the attempt", async () => {
      await newVersion();
      await publish("1");
      const current = await publish("2");
      const started = Promise.withResolvers<void>();
      const stopped = maker({
        makePatch: (_work, _limits, signal) =>
          new Promise((_, reject) => {
            signal.addEventListener("abort", () => reject(signal.reason));
            started.resolve();
          }),
      });
      const running = stopped.runNext();
      await started.promise;
      await stopped.stop();
      await running;
      expect(await depot.store.patches.jobs()).toMatchObject([{ attempts: 0, claim: null }]);
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
      const remove = () => removeSuperseded(depot.store, depot.objects, depot.clock.now(), 900);
      await remove();
      expect(await patchesTo(superseded)).toHaveLength(2);
      depot.clock.advance("961 seconds");
      await remove();
      expect(await patchesTo(superseded)).toEqual([]);
      expect(await storedPatches()).toEqual((await patchesTo(current)).map(patchKeyOf).sort());
    });

    it("has no job for a version whose last build was withdrawn", async () => {
      await newVersion();
      const only = await publish("1");
      await withdrawBuild(depot.operation(), only.id);
      expect(await depot.store.patches.jobs()).toEqual([]);
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
