import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { enqueue } from "../../../src/domain/jobs/jobs.ts";
import { JobRunner } from "../../../src/domain/jobs/runner.ts";
import { freshnessJob } from "../../../src/domain/manifests/freshness-job.ts";
import { createFreshnessKey, rotateFreshnessKey } from "../../../src/domain/manifests/freshness-keys.ts";
import { createSigningKey, rotateSigningKey } from "../../../src/domain/manifests/signing-keys.ts";
import { freshnessRules } from "../../../src/settings/rules.ts";
import { Depot } from "../builds/depot.ts";
import { sampleBuild } from "../builds/sample-build.ts";

const id = "vpn_ip_v1";
const REGISTER = { revision: 0 };
const HALF_LIFE = "43200 seconds";

for (const stage of eitherStage()) {
  describe(`renewing statements of freshness on ${stage.name}`, () => {
    let depot: Depot;
    const runners: JobRunner[] = [];
    const failures: unknown[] = [];
    beforeEach(async () => {
      depot = await Depot.open(stage);
      await depot.addVersion(id);
      await depot.publish(id, sampleBuild(id, { mark: "1" }));
      await createSigningKey(depot.operation());
      await createFreshnessKey(depot.operation(), { validDays: 365 });
    });
    afterEach(async () => {
      for (const one of runners.splice(0)) await one.stop();
      failures.length = 0;
      await depot.dispose();
    });

    /** The runner of a server that has the freshness key. */
    function server(): JobRunner {
      const { store, clock, settings } = depot;
      const renew_freshness = freshnessJob({ store, clock: clock.now, freshness: freshnessRules(settings) });
      const onFailure = (_: string, error: unknown) => failures.push(error);
      const runner = new JobRunner({ store, clock: clock.now, handlers: { renew_freshness }, onFailure });
      runners.push(runner);
      return runner;
    }
    const statement = async () => {
      const found = await depot.store.freshness.find(id);
      if (!found) throw new Error("there is no statement");
      return found;
    };
    const keyFile = async () => {
      const directory = depot.settings.freshnessKeysDir;
      const [name = ""] = await readdir(directory);
      return join(directory, name);
    };

    it("happens at half their life, and not before, for versions that nobody publishes", async () => {
      const first = await statement();
      server().start(REGISTER);
      server().start(REGISTER);
      await expect.poll(() => depot.store.jobs.find("renew_freshness", "")).toMatchObject({ attempts: 0, claim: null });
      expect(await statement()).toEqual(first);
      depot.clock.advance(HALF_LIFE);
      for (const runner of runners) runner.wake();
      await expect.poll(async () => (await statement()).issued, { timeout: 20_000 }).toEqual(depot.clock.now());
      expect((await statement()).validUntil.getTime() - depot.clock.now().getTime()).toBe(86_400_000);
      expect(failures).toEqual([]);
    });

    it("follows a publish of a process that has no freshness key", async () => {
      await rename(await keyFile(), `${await keyFile()}.hidden`);
      await depot.publish(id, sampleBuild(id, { mark: "2" }));
      const { sequence } = (await depot.store.manifests.latest(id)) ?? {};
      expect((await statement()).sequence).toBe((sequence ?? 0) - 1);
      const runner = server();
      expect(await runner.runNext("renew_freshness")).toBe(true);
      expect(failures).toMatchObject([
        { message: expect.stringMatching(/freshness key \w+ cannot be read.*DBDEPOT_FRESHNESS/) },
      ]);
      await rename(await keyFile(), (await keyFile()).replace(".hidden", ""));
      depot.clock.advance("5 seconds");
      expect(await runner.runNext("renew_freshness")).toBe(true);
      expect((await statement()).sequence).toBe(sequence);
    });

    it("never lets a statement outlive the endorsement of its key, and says when that has ended", async () => {
      const { key } = await rotateFreshnessKey(depot.operation(), { validDays: 1 });
      depot.clock.advance(HALF_LIFE);
      await depot.publish(id, sampleBuild(id, { mark: "2" }));
      expect((await statement()).validUntil).toEqual(key.expires);
      depot.clock.advance(HALF_LIFE);
      await enqueue(depot.store, "renew_freshness", {}, depot.clock.now());
      await server().runNext("renew_freshness");
      expect(failures).toMatchObject([{ message: expect.stringContaining("signing-keys rotate --freshness") }]);
    });

    it("goes on after a rotation of either key, and both are in the audit log", async () => {
      const { key } = await rotateFreshnessKey(depot.operation(), { validDays: 365 });
      expect(await statement()).toMatchObject({ keyId: key.keyId });
      const rotated = await rotateSigningKey(depot.operation(), { overlapDays: 30 });
      const current = (await depot.store.freshnessKeys.list()).find(({ replaced }) => replaced === null);
      expect(JSON.parse(current?.endorsement.statement ?? "")).toMatchObject({ endorsed_by: rotated.key.keyId });
      expect((await statement()).sequence).toBe((await depot.store.manifests.latest(id))?.sequence);
      const actions = (await depot.store.audit.list({ limit: 10 })).map(({ action }) => action);
      expect(actions).toEqual(expect.arrayContaining(["freshness_key.created", "freshness_key.rotated"]));
    });

    it("ends for a key that is replaced, which the new endorsement revokes", async () => {
      await expect(createFreshnessKey(depot.operation(), { validDays: 365 })).rejects.toThrow("is in use");
      const { keyId } = await statement();
      const { key } = await createFreshnessKey(depot.operation(), { validDays: 365, replace: true });
      expect(JSON.parse(key.endorsement.statement).revoked).toEqual([keyId]);
    });
  });
}
