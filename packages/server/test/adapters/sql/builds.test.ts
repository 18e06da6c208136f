import { describe, expect, it } from "vitest";
import { engines, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import type { Build } from "../../../src/domain/builds/build.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";
import { day } from "../../domain/licences/terms.ts";
import { attemptAt, build, buildFile, storedVersion } from "./samples.ts";

for (const engine of engines) {
  describe(`BuildStore on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    it("returns builds as they were added, with every file", async () => {
      const { id } = await storedVersion(opened.store);
      const added = build(id, { state: "published", published: day(1), withdrawn: day(2), entries: 2 ** 40 });
      if (added.files.mmdb) added.files.mmdb.sizeBytes = Number.MAX_SAFE_INTEGER;
      await opened.store.change((tables) => tables.builds.insert(added));
      expect(await opened.store.builds.byId(added.id)).toEqual(added);
      expect(await opened.store.builds.byId("no such build")).toBeUndefined();
      expect(await opened.store.builds.byIds([newId(day(0)), added.id])).toEqual([added]);
    });

    it("stores builds with one file or none", async () => {
      const { id } = await storedVersion(opened.store);
      const { csvgz } = build(id).files;
      const some = [build(id, { files: {} }), build(id, { files: csvgz ? { csvgz } : {} })];
      await opened.store.change(async (tables) => {
        for (const each of some) await tables.builds.insert(each);
      });
      for (const each of some) expect(await opened.store.builds.byId(each.id)).toEqual(each);
    });

    it("keeps the exporter's document byte for byte", async () => {
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

    it("lists the builds of a version newest first, each with its own files", async () => {
      const { id } = await storedVersion(opened.store);
      const other = await storedVersion(opened.store);
      const added = [build(id), build(id), build(id)];
      await opened.store.change(async (tables) => {
        for (const each of [added[1], added[0], added[2], build(other.id)]) if (each) await tables.builds.insert(each);
      });
      const summaries = [...added].reverse().map(({ metadata: _, ...summary }) => summary);
      expect(await opened.store.builds.list(id)).toEqual(summaries);
      expect(await opened.store.builds.list("no such version")).toEqual([]);
    });

    it("lists builds by state and date, in pages", async () => {
      const { id } = await storedVersion(opened.store);
      const dates = ["2026-11-01", "2026-11-02", "2026-11-02", "2026-11-02"];
      const added = dates.map((updated) => build(id, { updated, state: "published" }));
      const [first, second, third, staged] = added.map((each) => each.id) as [string, string, string, string];
      await opened.store.change(async ({ builds }) => {
        for (const each of added) await builds.insert(each.id === staged ? { ...each, state: "staged" } : each);
      });
      const ids = async (filter: Parameters<typeof opened.store.builds.list>[1]) =>
        (await opened.store.builds.list(id, filter)).map((each) => each.id);
      expect(await ids({ states: ["published"] })).toEqual([third, second, first]);
      expect(await ids({ states: ["published"], updated: "2026-11-02", limit: 1 })).toEqual([third]);
      expect(await ids({ updated: "2026-11-03" })).toEqual([]);
      expect(await ids({ before: staged, limit: 2 })).toEqual([third, second]);
    });

    it("changes the state and keeps times that are not given", async () => {
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

    it("rejects a second build with the same object key", async () => {
      const { id } = await storedVersion(opened.store);
      const first = build(id);
      const second = build(id, { files: first.files });
      await opened.store.change((tables) => tables.builds.insert(first));
      await expect(opened.store.change((tables) => tables.builds.insert(second))).rejects.toThrow(/unique/i);
      expect((await opened.store.builds.list(id)).map((each) => each.id)).toEqual([first.id]);
    });

    it("rejects a build of a version that does not exist", async () => {
      const orphan = build("nothing_v1");
      await expect(opened.store.change((tables) => tables.builds.insert(orphan))).rejects.toThrow(/foreign key/i);
    });

    it("adds files to a staged build, each with its inspection report", async () => {
      const { id } = await storedVersion(opened.store);
      const staged = build(id, { files: {} });
      const [csvgz, mmdb] = [buildFile(), buildFile()];
      const found = { faults: ['a "fault"'], table: { header: ["ip", "né"], entries: 2 ** 40 } };
      await opened.store.change(async ({ builds }) => {
        await builds.insert(staged);
        await builds.addFile(staged.id, "csvgz", csvgz, found);
        await builds.addFile(staged.id, "mmdb", mmdb, { faults: [], table: null });
      });
      expect(await opened.store.builds.byId(staged.id)).toEqual({ ...staged, files: { csvgz, mmdb } });
      const findings = { csvgz: found, mmdb: { faults: [], table: null } };
      expect(await opened.store.builds.reports(staged.id)).toEqual(findings);
      const again = opened.store.change(({ builds }) => builds.addFile(staged.id, "mmdb", buildFile(), found));
      await expect(again).rejects.toThrow(/unique/i);
      const whole = build(id);
      await opened.store.change(({ builds }) => builds.insert(whole));
      expect(await opened.store.builds.reports(whole.id)).toEqual({});
    });

    it("finds builds staged before a given time and discards them with their files", async () => {
      const { id } = await storedVersion(opened.store);
      const states = ["staged", "published", "withdrawn", "removed"] as const;
      const [old, ...others] = states.map((state) => build(id, { state, created: day(1) })) as [Build, ...Build[]];
      const late = build(id, { created: day(2) });
      await opened.store.change(async ({ builds }) => {
        for (const each of [old, ...others, late]) await builds.insert(each);
      });
      const found = async (time: Date) =>
        (await opened.store.builds.stagedBefore(time)).filter(({ versionId }) => versionId === id);
      expect(await found(day(2))).toEqual([old]);
      expect(await found(day(3))).toEqual([old, late]);
      await opened.store.change(({ builds }) => builds.discard(old.id));
      expect(await found(day(3))).toEqual([late]);
      expect(await opened.store.builds.list(id)).toHaveLength(4);
      const reused = build(id, { files: old.files });
      await opened.store.change(({ builds }) => builds.insert(reused));
    });

    it("returns the build that each one replaced", async () => {
      const { id } = await storedVersion(opened.store);
      const [first, second] = [build(id), build(id)];
      await opened.store.change(async ({ builds }) => {
        await builds.insert(first);
        await builds.insert(second, first.id);
        await builds.setSuperseded(first.id, day(5));
      });
      const lineage = async () => new Map((await opened.store.builds.lineage(id)).map((one) => [one.buildId, one]));
      expect((await lineage()).get(first.id)).toMatchObject({ previousBuildId: null, superseded: day(5) });
      expect((await lineage()).get(second.id)).toMatchObject({ previousBuildId: first.id, superseded: null });
      await opened.store.change(({ builds }) => builds.setSuperseded(first.id, null));
      expect((await lineage()).get(first.id)).toMatchObject({ superseded: null });
      expect((await lineage()).size).toBe(2);
    });

    it("returns the builds that were downloaded since a given time", async () => {
      const [early, late, refused, other] = Array.from({ length: 4 }, () => newId(day(0))) as [
        string,
        string,
        string,
        string,
      ];
      await opened.store.attempts.append([
        attemptAt(day(10), { buildId: early }),
        attemptAt(day(20), { buildId: late }),
        attemptAt(day(21), { buildId: late }),
        attemptAt(day(20), { buildId: refused, outcome: "denied" }),
        attemptAt(day(20), { buildId: other }),
      ]);
      const { handedOutSince } = opened.store.builds;
      expect(await handedOutSince([early, late, refused], day(20))).toEqual(new Set([late]));
      expect(await handedOutSince([early, late, refused], day(10))).toEqual(new Set([early, late]));
      expect(await handedOutSince([], day(0))).toEqual(new Set());
    });

    it("returns the states of existing builds", async () => {
      const { id } = await storedVersion(opened.store);
      const [staged, gone] = [build(id), build(id, { state: "removed" })];
      await opened.store.change(async ({ builds }) => {
        for (const each of [staged, gone]) await builds.insert(each);
      });
      const strangers = Array.from({ length: 1000 }, () => newId(day(0)));
      const states = await opened.store.builds.statesOf([staged.id, ...strangers, gone.id]);
      expect(states).toEqual(
        new Map([
          [staged.id, "staged"],
          [gone.id, "removed"],
        ]),
      );
    });

    it("finds no build by a malformed id", async () => {
      for (const words of ["", "x", "a\0b", "\0"]) expect(await opened.store.builds.byId(words)).toBeUndefined();
    });
  });
}
