import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stages } from "../../../../../rigs/harness/service/stages.ts";
import { checksumsOf } from "../../../../../rigs/harness/service/test-service.ts";
import { BuildRefused } from "../../../src/domain/builds/refusal.ts";
import { Depot } from "./depot.ts";
import { sampleBuild } from "./sample-build.ts";

for (const stage of stages()) {
  describe(`publishing on ${stage.name}`, () => {
    let depot: Depot;
    beforeAll(async () => {
      depot = await Depot.open(stage);
    });
    afterAll(() => depot.dispose());

    it("makes a build current with all its formats and its document byte for byte", async () => {
      const id = await depot.addVersion("whole_v1");
      const built = sampleBuild(id, { mark: "x" });
      const { build, removed } = await depot.publish(id, built);
      expect(removed).toEqual([]);
      expect(await depot.expectServed(id)).toEqual(build);
      expect(build).toMatchObject({ versionId: id, state: "published", updated: "2026-11-01", entries: 100 });
      expect(build.metadata.equals(built.document)).toBe(true);
      for (const format of ["csvgz", "mmdb"] as const) {
        expect(build.files[format]?.checksums).toEqual(checksumsOf(built.files[format] as Buffer));
      }
      expect(await depot.keys()).toEqual([`${id}/${build.id}/${id}.csv.gz`, `${id}/${build.id}/${id}.mmdb`]);
      const [entry] = await depot.store.audit.list({ limit: 1 });
      expect(entry).toMatchObject({
        action: "build.published",
        actor: "test",
        subject: build.id,
        before: { version_id: id, current_build_id: null },
        after: { id: build.id, version_id: id, current: true, forced: false, removed_build_ids: [] },
      });
    });

    it("accepts files of several MiB", async () => {
      const id = await depot.addVersion("large_v1");
      const { build } = await depot.publish(
        id,
        sampleBuild(id, { rows: 60_000, mark: "large enough for several MiB " }),
      );
      expect(build.files.csvgz?.sizeBytes).toBeGreaterThan(2 ** 21);
      await depot.expectServed(id);
    });

    it("keeps the previous build unchanged", async () => {
      const id = await depot.addVersion("next_v1");
      const first = await depot.publish(id, sampleBuild(id, { mark: "1" }));
      const second = await depot.publish(id, sampleBuild(id, { mark: "2" }));
      expect((await depot.expectServed(id)).id).toBe(second.build.id);
      expect(await depot.store.builds.byId(first.build.id)).toEqual(first.build);
      expect((await depot.keys()).filter((key) => key.startsWith(id))).toHaveLength(4);
    });

    it("accepts versions with one format", async () => {
      for (const format of ["csvgz", "mmdb"] as const) {
        const id = await depot.addVersion(`only_${format}_v1`, [format]);
        await depot.publish(id, sampleBuild(id, { formats: [format] }));
        expect(Object.keys((await depot.expectServed(id)).files)).toEqual([format]);
      }
    });

    it("leaves nothing behind if reading a file fails", async () => {
      const id = await depot.addVersion("interrupted_v1");
      await depot.publish(id, sampleBuild(id));
      const before = await depot.everything();
      const built = sampleBuild(id, { rows: 40_000, mark: "a file longer than one chunk" });
      async function* interrupted() {
        yield (built.files.mmdb as Buffer).subarray(0, 70_000);
        throw new Error("connection lost");
      }
      const files = { ...built.files, mmdb: interrupted() };
      await expect(depot.publish(id, { ...built, files })).rejects.toThrow("connection lost");
      expect(await depot.everything()).toEqual(before);
    });

    it("refuses an unknown version", async () => {
      const before = await depot.everything();
      await expect(depot.publish("nowhere_v1", sampleBuild("nowhere_v1"))).rejects.toThrow('no version "nowhere_v1"');
      expect(await depot.everything()).toEqual(before);
    });

    describe("a build that differs a lot from the current one", () => {
      const warningsOf = async (id: string, built: ReturnType<typeof sampleBuild>) => {
        const error = await depot.publish(id, built).catch((refused) => refused);
        expect(error).toBeInstanceOf(BuildRefused);
        expect(error).toMatchObject({ reason: "suspicious", kind: "conflict" });
        return error.faults;
      };

      it("is refused with every warning, and force overrides", async () => {
        const id = await depot.addVersion("guarded_v1");
        await depot.publish(id, sampleBuild(id, { rows: 70_000, updated: "2026-11-05" }));
        const before = await depot.everything();
        const smaller = sampleBuild(id, { rows: 34_000, updated: "2026-11-04" });
        expect(await warningsOf(id, smaller)).toEqual([
          "the new build has 34,000 rows, 51 % fewer than the current one, which has 70,000 rows (use --force to publish anyway)",
          expect.stringMatching(
            /^the new csvgz file has [\d.]+ MB, 52 % smaller than the current one, which has [\d.]+ MB \(use --force/,
          ),
          "the new build is dated 2026-11-04, but the current one is newer: 2026-11-05 (use --force to publish anyway)",
        ]);
        const larger = sampleBuild(id, { rows: 150_000, updated: "2026-11-05" });
        expect(await warningsOf(id, larger)).toEqual([
          "the new build has 150,000 rows, 114 % more than the current one, which has 70,000 rows (use --force to publish anyway)",
          expect.stringContaining("the new csvgz file has "),
          expect.stringContaining("the new mmdb file has "),
        ]);
        expect(await depot.everything()).toEqual(before);
        await depot.publish(id, smaller, { force: true });
        expect(await depot.expectServed(id)).toMatchObject({ entries: 34_000, updated: "2026-11-04" });
        expect((await depot.store.audit.list({ limit: 1 }))[0]?.after).toMatchObject({ forced: true });
      });

      it("is published without force if it is the first or within half of the current size", async () => {
        const id = await depot.addVersion("unguarded_v1");
        await depot.publish(id, sampleBuild(id, { rows: 1000, updated: "2026-11-05" }));
        await depot.publish(id, sampleBuild(id, { rows: 1400, updated: "2026-11-05" }));
        await depot.publish(id, sampleBuild(id, { rows: 750, updated: "2026-11-06" }));
        expect(await warningsOf(id, sampleBuild(id, { rows: 374, updated: "2026-11-06" }))).toHaveLength(2);
      });
    });

    describe("a build with other columns than the current one", () => {
      const NETWORK = { name: "network", type: "string" };
      const schema = (...columns: object[]) => ({ csvgz: [NETWORK, ...columns], mmdb: [NETWORK, ...columns] });
      const provider = (type: string) => schema({ name: "provider", type, description: "Who runs it" });

      it("is refused with the differences, and force overrides", async () => {
        const id = await depot.addVersion("columns_v1");
        await depot.publish(id, sampleBuild(id, { mark: "1" }));
        const before = await depot.everything();
        const other = sampleBuild(id, { mark: "2", overrides: { schema: provider("integer") } });
        const error = await depot.publish(id, other).catch((refused) => refused);
        expect(error).toMatchObject({ reason: "suspicious", kind: "conflict" });
        const difference = 'columns differ from the current build: "provider" is integer instead of string';
        const hint = "Add a new version for other columns";
        expect(error.faults).toEqual([
          `csvgz ${difference}. ${hint} (use --force to publish anyway)`,
          `mmdb ${difference}. ${hint} (use --force to publish anyway)`,
        ]);
        expect(await depot.everything()).toEqual(before);
        await depot.publish(id, other, { force: true });
        await depot.expectServed(id);
        expect((await depot.store.audit.list({ limit: 1 }))[0]?.after).toMatchObject({
          forced: true,
          overridden: [`csvgz ${difference}. ${hint}`, `mmdb ${difference}. ${hint}`],
        });
      });

      it("is published if only its descriptions differ", async () => {
        const id = await depot.addVersion("described_v1");
        await depot.publish(id, sampleBuild(id, { mark: "1" }));
        const { build } = await depot.publish(
          id,
          sampleBuild(id, { mark: "2", overrides: { schema: provider("string") } }),
        );
        expect(await depot.expectServed(id)).toEqual(build);
      });
    });

    describe("a build with the files of the current one", () => {
      it("is not published, whatever its document says", async () => {
        const id = await depot.addVersion("same_v1");
        const first = await depot.publish(id, sampleBuild(id, { mark: "1", updated: "2026-11-01" }));
        const before = await depot.everything();
        const document = sampleBuild(id, { mark: "1", updated: "2026-11-02" }).document;
        const again = await depot.publish(id, { ...sampleBuild(id, { mark: "1" }), document });
        expect(again).toEqual({ build: first.build, isUnchanged: true, removed: [], notes: [] });
        expect(await depot.everything()).toEqual(before);
      });

      it("is published with force", async () => {
        const id = await depot.addVersion("again_v1");
        const first = await depot.publish(id, sampleBuild(id));
        const second = await depot.publish(id, sampleBuild(id), { force: true });
        expect(second.isUnchanged).toBe(false);
        expect((await depot.expectServed(id)).id).toBe(second.build.id);
        expect(second.build.id).not.toBe(first.build.id);
      });

      it("is published if one of its files differs", async () => {
        const id = await depot.addVersion("half_v1");
        await depot.publish(id, sampleBuild(id, { mark: "1" }));
        const [same, other] = [sampleBuild(id, { mark: "1" }), sampleBuild(id, { mark: "2" })];
        const files = { csvgz: same.files.csvgz as Buffer, mmdb: other.files.mmdb as Buffer };
        const { isUnchanged } = await depot.publish(id, { document: other.document, files });
        expect(isUnchanged).toBe(false);
      });

      it("is unchanged when another publish of the same files finishes first", async () => {
        const id = await depot.addVersion("twins_v1");
        const both = await Promise.all([depot.publish(id, sampleBuild(id)), depot.publish(id, sampleBuild(id))]);
        expect(both.map(({ isUnchanged }) => isUnchanged).sort()).toEqual([false, true]);
        expect(await depot.store.builds.list(id)).toHaveLength(1);
      });
    });

    describe("concurrent publishes", () => {
      it.each(["first", "second"])("publishes one as the %s build and refuses the other", async (which) => {
        const id = await depot.addVersion(`race_${which}_v1`);
        if (which === "second") await depot.publish(id, sampleBuild(id));
        const both = await Promise.allSettled([
          depot.publish(id, sampleBuild(id, { mark: "1" })),
          depot.publish(id, sampleBuild(id, { mark: "2" })),
        ]);
        const [winner] = both.flatMap((each) => (each.status === "fulfilled" ? [each.value.build] : []));
        const [loser, ...more] = both.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
        expect(more).toEqual([]);
        expect(loser).toMatchObject({ reason: "overtaken", kind: "conflict" });
        expect(loser.message).toContain(`now has the current build ${winner?.id}`);
        expect(await depot.expectServed(id)).toEqual(winner);
        const kept = await depot.store.builds.list(id);
        expect(kept.map(({ state }) => state)).toEqual(which === "second" ? ["published", "published"] : ["published"]);
        const keys = (await depot.keys()).filter((key) => key.startsWith(`${id}/`));
        expect(keys).toEqual(kept.flatMap(({ files }) => [files.csvgz?.objectKey, files.mmdb?.objectKey]).sort());
      });
    });
  });
}
