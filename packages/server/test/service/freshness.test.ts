import { describe, expect, it } from "vitest";
import { Customer } from "../../../../rigs/harness/service/customer.ts";
import { eitherStage, type OpenStage } from "../../../../rigs/harness/service/stages.ts";
import { TestClock } from "../../../../rigs/harness/service/test-clock.ts";
import { Operator } from "../../../../rigs/harness/service/test-service.ts";
import { withdrawBuild } from "../../src/domain/builds/rollback.ts";
import { addVersion } from "../../src/domain/catalogue/catalogue.ts";
import { revokeKey } from "../../src/domain/keys/keys.ts";
import { endLicence, grantLicence, renewLicence } from "../../src/domain/licences/licences.ts";
import { addTerms } from "../../src/domain/terms/add.ts";
import { newId } from "../../src/platform/primitives/ids.ts";
import { type Service, startService } from "../../src/service/service.ts";

for (const stage of eitherStage()) {
  describe(`Three replicas on ${stage.name}`, () => {
    it("see changes to keys, licences, versions and builds without a restart", async () => {
      const opened = await stage.open({ DBDEPOT_LOG_LEVEL: "silent" });
      const clock = new TestClock();
      const [first, ...others] = await startReplicas(opened, clock);
      try {
        const operator = new Operator(first, clock);
        const here = await operator.customer("Acme");
        const customers = others.map((replica) => new Customer(replica.apiUrl, here.key, here));
        await operator.addDatabase("vpn_ip_v1");
        const status = async (there: Customer) => (await there.download("vpn_ip_v1", "mmdb")).status;
        const buildId = async (there: Customer) => (await there.metadata("vpn_ip_v1")).headers.get("x-build-id");
        const versions = async (there: Customer) => (await there.list()).json.databases[0].versions.length;
        const expectEventually = async (actual: (there: Customer) => Promise<unknown>, expected: unknown) => {
          for (const there of customers) await expect.poll(() => actual(there)).toEqual(expected);
        };

        await expectEventually(status, 403);
        const licence = await grantLicence(operator.operation(), {
          organization: "Acme",
          base: "vpn_ip",
          redistribution: "internal",
        });
        await expectEventually(status, 503);
        const build = await operator.publish("vpn_ip_v1");
        await expectEventually(buildId, build.id);
        const newer = await operator.publish("vpn_ip_v1", "newer");
        await expectEventually(buildId, newer.id);
        await expectEventually(status, 302);
        const { terms } = await addTerms(operator.operation(), { name: "rules", title: "Rules", text: "Be nice." });
        await renewLicence(operator.operation(), licence.id, { terms: "rules" });
        await expectEventually(status, 403);
        const { organizationId } = here;
        const person = { accountId: newId(clock.now()), name: "Ada", email: "ada@acme.example", address: "192.0.2.1" };
        const acceptance = { id: newId(clock.now()), organizationId, termsId: terms.id, sha256: terms.sha256 };
        await operator
          .operation()
          .store.change((tables) => tables.terms.insertAcceptance({ ...acceptance, ...person, created: clock.now() }));
        await expectEventually(status, 302);
        await withdrawBuild(operator.operation(), newer.id);
        await expectEventually(status, 503);
        await addVersion(operator.operation(), { id: "vpn_ip_v2", summary: "s", formats: ["mmdb"] });
        await operator.publish("vpn_ip_v2");
        await expectEventually(versions, 2);
        await endLicence(operator.operation(), licence.id);
        await expectEventually(status, 403);
        await revokeKey(operator.operation(), here.keyId);
        await expectEventually(status, 401);
      } finally {
        for (const replica of [first, ...others]) await replica.close();
        await opened.dispose();
      }
    });

    it("show each other's download attempts immediately, and all of them in the same order", async () => {
      const opened = await stage.open({ DBDEPOT_LOG_LEVEL: "silent" });
      const clock = new TestClock();
      const replicas = await startReplicas(opened, clock);
      try {
        const acme = await new Operator(replicas[0], clock).customer("Acme");
        const customers = replicas.map((replica) => new Customer(replica.apiUrl, acme.key, acme));
        const [here, there] = customers as [Customer, Customer];
        for (let i = 1; i <= 20; i += 1) {
          await here.download(`attempt_${i}`, "mmdb");
          expect((await there.history("?limit=1"))[0]?.dataset_id).toBe(`attempt_${i}`);
        }
        const concurrent = Array.from({ length: 90 }, (_, i) => `concurrent_${i}`);
        await Promise.all(concurrent.map((id, i) => customers[i % 3]?.download(id, "mmdb")));
        const [one, ...others] = await Promise.all(customers.map((customer) => customer.history("?limit=200")));
        for (const other of others) expect(other).toEqual(one);
        const ids = one?.map(({ dataset_id }) => dataset_id) ?? [];
        expect(ids.slice(0, 90).sort()).toEqual(concurrent.sort());
        expect(ids.slice(90)).toEqual(Array.from({ length: 20 }, (_, i) => `attempt_${20 - i}`));
      } finally {
        for (const replica of replicas) await replica.close();
        await opened.dispose();
      }
    });
  });
}

async function startReplicas({ settings }: OpenStage, clock: TestClock): Promise<[Service, Service, Service]> {
  const start = () => startService(settings, { clock: clock.now });
  return [await start(), await start(), await start()];
}
