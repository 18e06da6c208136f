import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { enqueue } from "../../../src/domain/jobs/jobs.ts";
import { type Robot, robotOf } from "./robot.ts";

for (const stage of eitherStage()) {
  describe(`/api/operator/jobs on ${stage.name}`, () => {
    let test: TestService;
    let robot: Robot;
    beforeAll(async () => {
      // Without bases, this server leaves patches to others.
      test = await testService(stage, { DBDEPOT_PATCH_BASES: "0" });
      robot = await robotOf(test);
      const data = { versionId: "vpn_ip_v1", buildId: "build" };
      await enqueue(test.service.services.store, "make_patches", data, test.clock.now());
    });
    afterAll(() => test.dispose());

    const jobs = async (query = "") => (await robot.get(`/jobs?search=vpn_ip${query}`)).json.jobs;

    it("lists jobs with their state, and retries those that failed or wait", async () => {
      const { store } = test.service.services;
      const now = test.clock.now();
      const queued = { type: "make_patches", subject: "vpn_ip_v1", state: "queued", attempts: 0, error: null };
      expect(await jobs()).toEqual([expect.objectContaining({ ...queued, next_attempt: now.toISOString() })]);
      const by = "a process";
      const claimed = await store.jobs.claim("make_patches", { by, until: new Date(now.getTime() + 60_000) }, now);
      const id = claimed?.id ?? "";
      expect(await jobs("&state=running")).toMatchObject([{ id, attempts: 1, next_attempt: null }]);
      expect((await robot.post(`/jobs/${id}/retry`)).status).toBe(409);
      await store.jobs.release(id, by, { attempts: 7, due: now, error: "the disk is full", failed: now });
      expect(await jobs("&state=failed")).toMatchObject([{ error: "the disk is full", failed: now.toISOString() }]);
      expect(await robot.post(`/jobs/${id}/retry`)).toMatchObject({ status: 200, json: queued });
      expect(await jobs("&state=failed")).toEqual([]);
      expect((await robot.post("/jobs/none/retry")).status).toBe(404);
    });
  });
}
