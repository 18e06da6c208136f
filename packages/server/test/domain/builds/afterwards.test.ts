import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import type { Build } from "../../../src/domain/builds/build.ts";
import { stageBuild, stageFile } from "../../../src/domain/builds/publishing/stage.ts";
import { allOutdatedBuilds, removeOutdated } from "../../../src/domain/builds/retention.ts";
import { rollBack, withdrawBuild } from "../../../src/domain/builds/rollback.ts";
import { findLeftovers, sweep } from "../../../src/domain/retention/leftovers.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";
import { attempt } from "../../adapters/sql/samples.ts";
import { Depot } from "./depot.ts";
import { sampleBuild } from "./sample-build.ts";

for (const stage of eitherStage()) {
  describe(`builds on ${stage.name}`, () => {
    let depot: Depot;
    let id: string;
    let count = 0;
    beforeAll(async () => {
      depot = await Depot.open(stage);
    });
    afterAll(() => depot.dispose());

    async function newVersion(): Promise<void> {
      count += 1;
      id = await depot.addVersion(`some_v${count}`);
    }

    async function publish(mark: string, options = {}): Promise<Build> {
      return (await depot.publish(id, sampleBuild(id, { mark }), options)).build;
    }

    async function states(): Promise<string[]> {
      return (await depot.store.builds.list(id)).map(({ state }) => state).reverse();
    }

    async function keysOf(build: Build): Promise<string[]> {
      return (await depot.keys()).filter((key) => key.startsWith(`${id}/${build.id}/`));
    }

    describe("rollback", () => {
      it("makes the previous build current, repeatedly", async () => {
        await newVersion();
        const [first, second, third] = [await publish("1"), await publish("2"), await publish("3")];
        expect(await rollBack(depot.operation(), { versionId: id })).toEqual(second);
        expect((await depot.expectServed(id)).id).toBe(second.id);
        expect((await depot.store.audit.list({ limit: 1 }))[0]).toMatchObject({
          action: "build.rolled_back",
          subject: second.id,
          before: { version_id: id, current_build_id: third.id },
          after: { version_id: id, current_build_id: second.id },
        });
        expect(await rollBack(depot.operation(), { versionId: id })).toEqual(first);
        await expect(rollBack(depot.operation(), { versionId: id })).rejects.toThrow("has no earlier build");
        expect((await depot.expectServed(id)).id).toBe(first.id);
      });

      it("skips a build that was itself rolled back", async () => {
        await newVersion();
        const [second, bad] = [await publish("1"), await publish("2")];
        await rollBack(depot.operation(), { versionId: id });
        await publish("3");
        expect((await rollBack(depot.operation(), { versionId: id })).id).toBe(second.id);
        expect((await rollBack(depot.operation(), { versionId: id, to: bad.id })).id).toBe(bad.id);
      });

      it("accepts only published builds of the same version", async () => {
        await newVersion();
        const [first, second] = [await publish("1"), await publish("2")];
        await withdrawBuild(depot.operation(), first.id);
        const staged = await stageBuild(depot.operation(), { versionId: id, document: sampleBuild(id).document });
        const before = await depot.everything();
        const to = (build: string) => rollBack(depot.operation(), { versionId: id, to: build });
        await expect(to(first.id)).rejects.toThrow("is withdrawn, not published");
        await expect(to(staged.id)).rejects.toThrow("is staged, not published");
        await expect(to(second.id)).rejects.toThrow("is already the current build");
        await expect(to(newId(new Date()))).rejects.toThrow(`${id} has no build`);
        await expect(to("no such build")).rejects.toThrow(`${id} has no build`);
        await expect(rollBack(depot.operation(), { versionId: id })).rejects.toThrow("has no earlier build");
        expect(await depot.everything()).toEqual(before);
        await newVersion();
        const other = await publish("other");
        await newVersion();
        await expect(to(other.id)).rejects.toThrow(`${id} has no build`);
      });

      it("makes a publish that is in progress fail as overtaken", async () => {
        await newVersion();
        const [first] = [await publish("1"), await publish("2")];
        async function* slow() {
          yield sampleBuild(id, { mark: "3" }).files.csvgz as Buffer;
          await rollBack(depot.operation(), { versionId: id });
        }
        const { document, files } = sampleBuild(id, { mark: "3" });
        const late = depot.publish(id, { document, files: { ...files, csvgz: slow() } });
        await expect(late).rejects.toMatchObject({ reason: "overtaken" });
        expect((await depot.expectServed(id)).id).toBe(first?.id);
      });
    });

    describe("withdraw", () => {
      it("replaces a current build with the previous one", async () => {
        await newVersion();
        const [first, second, third] = [await publish("1"), await publish("2"), await publish("3")];
        const other = await withdrawBuild(depot.operation(), second.id);
        expect(other).toMatchObject({ build: { state: "withdrawn" }, currentBuildId: third.id });
        const current = await withdrawBuild(depot.operation(), third.id);
        expect(current.currentBuildId).toBe(first.id);
        expect((await depot.expectServed(id)).id).toBe(first.id);
        expect((await depot.store.audit.list({ limit: 1 }))[0]).toMatchObject({
          action: "build.withdrawn",
          subject: third.id,
          before: { version_id: id, state: "published", current_build_id: third.id },
          after: { version_id: id, state: "withdrawn", current_build_id: first.id },
        });
        expect((await depot.store.builds.byId(third.id))?.withdrawn).toEqual(depot.clock.now());
        await expect(withdrawBuild(depot.operation(), third.id)).rejects.toThrow("is withdrawn");
        await expect(withdrawBuild(depot.operation(), newId(new Date()))).rejects.toThrow("no build");
      });

      it("leaves the version without a build if there is no other, and the next publish works", async () => {
        await newVersion();
        const { id: only } = await publish("1");
        expect((await withdrawBuild(depot.operation(), only)).currentBuildId).toBeNull();
        expect(await depot.current(id)).toBeUndefined();
        await publish("2");
        await depot.expectServed(id);
        await expect(rollBack(depot.operation(), { versionId: id })).rejects.toThrow("has no earlier build");
      });
    });

    describe("retention", () => {
      const limits = { count: 0, days: 0, patchBases: 0, linkTtlSeconds: 900 };
      const outdatedIds = async (but: object) =>
        (await allOutdatedBuilds(depot.store, { ...limits, ...but }, depot.clock.now()))
          .filter(({ versionId }) => versionId === id)
          .map((build) => build.id);

      it("removes builds beyond the number or age that the settings keep, with their files", async () => {
        await newVersion();
        const builds: Build[] = [];
        for (const mark of ["1", "2", "3", "4", "5"]) {
          builds.push(await publish(mark));
          depot.clock.advance("10 days");
        }
        const [first, second, third, fourth, fifth] = builds.map((build) => build.id);
        expect(await outdatedIds({})).toEqual([]);
        expect(await outdatedIds({ count: 3 })).toEqual([second, first]);
        // The third was replaced 20 days ago.
        expect(await outdatedIds({ days: 25 })).toEqual([second, first]);
        expect(await outdatedIds({ days: 35 })).toEqual([first]);
        expect(await outdatedIds({ count: 3, days: 35 })).toEqual([first]);
        // The current build, and the one that a rollback returns to.
        expect(await outdatedIds({ count: 1, days: 1 })).toEqual([third, second, first]);
        expect(await outdatedIds({ count: 1, patchBases: 2 })).toEqual([second, first]);
        const policy = { ...limits, count: 3 };
        expect(await removeOutdated(depot.operation(), depot.objects, policy)).toBeGreaterThanOrEqual(2);
        expect(await removeOutdated(depot.operation(), depot.objects, policy)).toBe(0);
        expect(await states()).toEqual(["removed", "removed", "published", "published", "published"]);
        expect(await keysOf(builds[0] as Build)).toEqual([]);
        const entries = await depot.store.audit.list({ action: "build.removed", limit: 100 });
        expect(entries.map(({ subject }) => subject)).toEqual(expect.arrayContaining([first, second]));
        expect((await rollBack(depot.operation(), { versionId: id })).id).toBe(fourth);
        expect((await depot.expectServed(id)).id).not.toBe(fifth);
      });

      it("keeps builds whose links may still work", async () => {
        await newVersion();
        const [first] = [await publish("1"), await publish("2"), await publish("3")];
        expect(await outdatedIds({ count: 1 })).toEqual([]);
        depot.clock.advance("1 days");
        const created = depot.clock.now();
        await depot.store.attempts.append([attempt({ buildId: first.id, created })]);
        expect(await outdatedIds({ count: 1 })).toEqual([]);
        depot.clock.advance("1000 seconds");
        expect(await outdatedIds({ count: 1 })).toEqual([first.id]);
      });
    });

    describe("keep", () => {
      const retention = (keep: number) => ({ retention: { keep, linkTtlSeconds: 900 } });

      it("removes older builds with their files", async () => {
        await newVersion();
        const old = [await publish("1"), await publish("2"), await publish("3")];
        depot.clock.advance("1 days");
        const last = await depot.publish(id, sampleBuild(id, { mark: "4" }), retention(2));
        // The third was current until now, and is one of the newest two.
        expect(last.removed.map((build) => build.id).sort()).toEqual([old[0]?.id, old[1]?.id].sort());
        expect(await states()).toEqual(["removed", "removed", "published", "published"]);
        for (const build of old.slice(0, 2)) expect(await keysOf(build)).toEqual([]);
        for (const build of [old[2] as Build, last.build]) expect(await keysOf(build)).toHaveLength(2);
        await depot.expectServed(id);
        const [entry] = await depot.store.audit.list({ limit: 1 });
        expect(entry?.after).toMatchObject({ removed_build_ids: [expect.any(String), expect.any(String)] });
        const back = rollBack(depot.operation(), { versionId: id, to: old[0]?.id as string });
        await expect(back).rejects.toThrow("is removed");
      });

      it("keeps builds whose links may still work", async () => {
        await newVersion();
        const [first, second, third] = [await publish("1"), await publish("2"), await publish("3")];
        // A customer pinned it long after it was current.
        depot.clock.advance("1 days");
        const created = depot.clock.now();
        const pinned = { buildId: first.id, outcome: "ok", created, id: newId(created) } as const;
        const refused = { ...pinned, buildId: second.id, outcome: "denied", id: newId(created) } as const;
        await depot.store.attempts.append([attempt(pinned), attempt(refused)]);
        depot.clock.advance("899 seconds");
        const fourth = await depot.publish(id, sampleBuild(id, { mark: "4" }), retention(1));
        // The third was current until now; the request for the second was refused.
        expect(fourth.removed.map((build) => build.id)).toEqual([second.id]);
        depot.clock.advance("1000 seconds");
        const fifth = await depot.publish(id, sampleBuild(id, { mark: "5" }), retention(1));
        expect(fifth.removed.map((build) => build.id).sort()).toEqual([first.id, third.id].sort());
        expect(await states()).toEqual(["removed", "removed", "removed", "published", "published"]);
      });

      it("removes withdrawn builds, but never the current one", async () => {
        await newVersion();
        const [first, second] = [await publish("1"), await publish("2")];
        await withdrawBuild(depot.operation(), second.id);
        depot.clock.advance("1 days");
        // The oldest is the current one.
        const { removed, build } = await depot.publish(id, sampleBuild(id, { mark: "3" }), retention(5));
        expect(removed.map((each) => each.id)).toEqual([second.id]);
        await rollBack(depot.operation(), { versionId: id });
        depot.clock.advance("1 days");
        const next = await depot.publish(id, sampleBuild(id, { mark: "4" }), retention(2));
        expect(next.removed).toEqual([]);
        expect((await keysOf(first)).length + (await keysOf(build)).length).toBe(4);
      });

      it("succeeds if storage fails, and the sweep deletes the files later", async () => {
        await newVersion();
        const first = await publish("1");
        await publish("2");
        depot.clock.advance("1 days");
        const { remove } = depot.objects;
        depot.objects.remove = async () => {
          throw new Error("storage failed");
        };
        const last = await depot.publish(id, sampleBuild(id, { mark: "3" }), retention(1)).finally(() => {
          depot.objects.remove = remove;
        });
        expect(last.removed.map((build) => build.id)).toEqual([first.id]);
        await depot.expectServed(id);
        expect(await keysOf(first)).toHaveLength(2);
        depot.clock.advance("2 days");
        const swept = await sweep(depot.operation(), depot.objects, dayAgo());
        expect(swept.objects.map(({ key }) => key.split("/")[1])).toEqual([first.id, first.id]);
        expect(await keysOf(first)).toEqual([]);
      });
    });

    describe("sweep", () => {
      async function stageUnfinished(): Promise<Build> {
        const { document, files } = sampleBuild(id, { mark: "unfinished" });
        const build = await stageBuild(depot.operation(), { versionId: id, document });
        const source = Readable.from([files.mmdb as Buffer]);
        await stageFile(depot.operation(), depot.objects, { build, kind: "mmdb", source });
        return build;
      }

      it("deletes unfinished builds and their files after a day", async () => {
        await newVersion();
        const served = await publish("1");
        const build = await stageUnfinished();
        const before = await depot.everything();
        const nothing = { stagedBuildIds: [], objects: [], partialUploads: 0 };
        expect(await sweep(depot.operation(), depot.objects, dayAgo())).toEqual(nothing);
        expect(await depot.everything()).toEqual(before);
        depot.clock.advance("2 days");
        expect(await findLeftovers(depot.store, depot.objects, dayAgo())).toMatchObject({
          stagedBuildIds: [build.id],
        });
        expect(await depot.everything()).toEqual(before);
        const swept = await sweep(depot.operation(), depot.objects, dayAgo());
        expect(swept.stagedBuildIds).toEqual([build.id]);
        expect(await depot.store.builds.byId(build.id)).toBeUndefined();
        expect(await keysOf(build)).toEqual([]);
        expect((await depot.expectServed(id)).id).toBe(served.id);
        expect(await sweep(depot.operation(), depot.objects, dayAgo())).toEqual(nothing);
      });

      it("makes uploads to a deleted build fail", async () => {
        await newVersion();
        const build = await stageUnfinished();
        depot.clock.advance("2 days");
        await sweep(depot.operation(), depot.objects, dayAgo());
        const source = Readable.from([sampleBuild(id).files.csvgz as Buffer]);
        const late = stageFile(depot.operation(), depot.objects, { build, kind: "csvgz", source });
        await expect(late).rejects.toThrow("unfinished builds are deleted after a day");
        expect(await keysOf(build)).toEqual([]);
      });

      it("deletes only objects without a build", async () => {
        await newVersion();
        const put = async (key: string) => {
          await depot.objects.put(key, Readable.from([Buffer.from("x")]));
          return key;
        };
        const orphan = await put(`${id}/${newId(new Date())}/${id}.mmdb`);
        // The object is too new.
        expect((await sweep(depot.operation(), depot.objects, dayBeforeToday())).objects).toEqual([]);
        const foreign = [
          await put(`${id}/${newId(new Date())}/another.name`),
          await put(`${id}/${newId(new Date())}/deep/${id}.mmdb`),
          await put(`${id}/notes/${id}.mmdb`),
          await put(`unknown_v1/${newId(new Date())}/unknown_v1.mmdb`),
          await put("readme"),
        ];
        depot.clock.advance("2 days");
        const swept = await sweep(depot.operation(), depot.objects, dayAgo());
        expect(swept.objects.map(({ key }) => key)).toEqual([orphan]);
        expect(await depot.keys()).toEqual(expect.arrayContaining(foreign));
        expect(await depot.keys()).not.toContain(orphan);
      });
    });

    /** The storage has its own clock, which tests cannot change. */
    function dayBeforeToday(): Date {
      return new Date(Date.now() - 86_400_000);
    }

    function dayAgo(): Date {
      return new Date(depot.clock.now().getTime() - 86_400_000);
    }
  });
}
