import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import type { Bucket } from "../../../src/domain/destinations/bucket.ts";
import { allowDestinations, createDestination } from "../../../src/domain/destinations/destinations.ts";
import { deliveryJob, planningJob } from "../../../src/domain/destinations/jobs.ts";
import type { JobContext } from "../../../src/domain/jobs/runner.ts";
import { grantLicence } from "../../../src/domain/licences/licences.ts";
import { LimitCounters } from "../../../src/domain/limits/counters.ts";
import { NO_LIMITS } from "../../../src/domain/limits/limits.ts";
import { addOrganization } from "../../../src/domain/organizations/organizations.ts";
import { Register } from "../../../src/register/register.ts";
import { Depot } from "../builds/depot.ts";
import { sampleBuild } from "../builds/sample-build.ts";

const ID = "some_v1";
const RULES = { vendorIdentity: { principal: "arn:aws:iam::123456789012:user/dbdepot", endpoint: null } };

for (const stage of eitherStage()) {
  describe(`The planning of deliveries on ${stage.name}`, () => {
    let depot: Depot;
    let destinations: string[];
    beforeAll(async () => {
      depot = await Depot.open(stage);
      await depot.addVersion(ID, ["mmdb"]);
      await depot.publish(ID, sampleBuild(ID, { mark: "1", formats: ["mmdb"] }));
      destinations = [];
      for (const name of ["Acme", "Globex", "Initech"]) destinations.push(await addDestination(name));
    });
    afterAll(() => depot.dispose());

    /** An organization with a licence, and a bucket that was verified. */
    async function addDestination(name: string): Promise<string> {
      const operation = { ...depot.operation(), rules: RULES };
      const owner = await addOrganization(operation, name);
      await grantLicence(operation, { organization: name, base: "some", redistribution: "internal" });
      await allowDestinations(operation, async () => owner, true);
      const request = { bucket: `${name.toLowerCase()}-data`, region: "eu-west-1", access: "vendor" } as const;
      const created = await createDestination(operation, async () => owner, request);
      const ownership = { ...created.ownership, verified: depot.clock.now() };
      await depot.store.change((tables) => tables.destinations.update({ ...created, ownership }));
      return created.id;
    }

    /** Does the work of both jobs, and returns the paths that were written. */
    async function jobs() {
      const { store, objects } = depot;
      const clock = depot.clock.now;
      const register = new Register(store);
      await register.refresh();
      const limits = new LimitCounters({ store, clock, limitsOf: () => NO_LIMITS, onFailure: expect.unreachable });
      const written: string[] = [];
      const openBucket = async ({ place }: { place: { bucket: string } }): Promise<Bucket> => ({
        read: async () => undefined,
        write: async (path) => void written.push(`${place.bucket} ${path}`),
        upload: async ({ path }) => void written.push(`${place.bucket} ${path}`),
        check: async () => {},
        remove: async () => {},
        close: () => {},
      });
      const history = { record: async () => {} };
      const nothing = () => {};
      const options = { store, objects, register, limits, history, openBucket, clock };
      const delivery = deliveryJob({ ...options, onAttempt: nothing, onDelivery: nothing });
      const context: JobContext = { signal: AbortSignal.timeout(60_000), change: (work) => store.change(work) };
      return {
        plan: () => planningJob(options).run({}, context),
        deliver: async (destinationId: string) => {
          await delivery.run({ destinationId }, context);
          return written.splice(0);
        },
      };
    }

    /** The destinations for which a delivery was requested, whose requests are removed. */
    async function requested(): Promise<string[]> {
      const found: string[] = [];
      for (const id of destinations) {
        if (await depot.store.jobs.find("deliver_builds", id)) found.push(id);
        await depot.store.change((tables) => tables.jobs.remove("deliver_builds", id));
      }
      return found;
    }

    it("requests deliveries only to buckets that lack something", async () => {
      const { plan, deliver } = await jobs();
      const [acme, globex, initech] = destinations as [string, string, string];
      await plan();
      expect(await requested()).toEqual([acme, globex, initech]);
      const paths = await deliver(globex);
      expect(paths.at(-1)).toBe(`globex-data ${ID}/latest.json`);
      expect(paths.filter((path) => !path.startsWith("globex-data "))).toEqual([]);
      await plan();
      expect(await requested()).toEqual([acme, initech]);
      expect(await deliver(globex)).toEqual([]);
      for (const id of [acme, initech]) expect(await deliver(id)).not.toEqual([]);
      await plan();
      expect(await requested()).toEqual([]);
      await depot.publish(ID, sampleBuild(ID, { mark: "2", formats: ["mmdb"] }));
      await requested();
      await plan();
      expect(await requested()).toEqual([acme, globex, initech]);
    });
  });
}
