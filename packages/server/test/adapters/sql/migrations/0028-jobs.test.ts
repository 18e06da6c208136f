import { describe, expect, it, onTestFinished } from "vitest";
import { engines } from "../../../../../../rigs/harness/service/engines.ts";
import { build, storedVersion } from "../samples.ts";

const CREATED = "2026-11-01T00:00:00.000Z";

for (const engine of engines) {
  describe(`migration 0028 on ${engine.name}`, () => {
    it("moves what is waiting to be compared or patched, and keeps what was compared", async () => {
      const { store, query, dispose } = await engine.open();
      onTestFinished(dispose);
      const { id: versionId } = await storedVersion(store);
      const current = build(versionId);
      await store.change((tables) => tables.builds.insert(current));
      await query("drop table jobs");
      for (const column of ["claimed_by", "claimed_until"]) await query(`alter table outbox drop column ${column}`);
      await query("alter table usage_progress drop column claimed_until");
      await query("delete from migrations where name = '0028-jobs'");
      await query(`insert into build_changes (from_build_id, to_build_id, created, outcome, attempts)
        values ('a', 'b', '${CREATED}', null, 2), ('b', 'c', '${CREATED}', '{"state":"not_compared","reason":"x"}', 1)`);
      await query(`insert into patch_jobs (version_id, build_id, queued, attempts)
        values ('${versionId}', '${current.id}', '${CREATED}', 3)`);
      expect(await store.migrate()).toContain("0028-jobs");
      const waiting = { attempts: 0, created: new Date(CREATED), due: new Date(CREATED), error: null, failed: null };
      const pair = await store.jobs.find("compare_builds", "a b");
      expect(pair).toMatchObject({ data: { from: "a", to: "b" }, ...waiting });
      const patches = await store.jobs.find("make_patches", versionId);
      expect(patches).toMatchObject({ data: { versionId, buildId: current.id }, ...waiting });
      expect(await store.changes.find({ from: "a", to: "b" })).toBeUndefined();
      expect(await store.changes.find({ from: "b", to: "c" })).toMatchObject({ reason: "x" });
    });
  });
}
