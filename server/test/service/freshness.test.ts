import { describe, expect, it } from "vitest";
import { addVersion } from "../../src/catalogue/catalogue.ts";
import { revokeKey } from "../../src/keys/keys.ts";
import { endLicence, grantLicence } from "../../src/licences/licences.ts";
import { startService } from "../../src/service.ts";
import { Customer } from "../customer.ts";
import { stages } from "../stages.ts";
import { TestClock } from "../test-clock.ts";
import { Operator } from "../test-service.ts";

for (const stage of stages()) {
  describe(`Two replicas on ${stage.name}`, () => {
    it("see changes to keys, licences, versions and builds without a restart", async () => {
      const opened = await stage.open({ DBDEPOT_LOG_LEVEL: "silent" });
      const clock = new TestClock();
      const first = await startService(opened.settings, { clock: clock.now });
      const second = await startService(opened.settings, { clock: clock.now });
      try {
        const operator = new Operator(first, clock);
        const here = await operator.customer("Acme");
        const there = new Customer(second.apiUrl, here.key, here);
        await operator.addDatabase("vpn_ip_v1");
        const statusThere = async () => (await there.download("vpn_ip_v1", "mmdb")).status;
        const expectEventually = (actual: () => Promise<unknown>, expected: unknown) =>
          expect.poll(actual).toEqual(expected);

        await expectEventually(statusThere, 403);
        const licence = await grantLicence(operator.operation(), {
          organization: "Acme",
          base: "vpn_ip",
          redistribution: "internal",
        });
        await expectEventually(statusThere, 503);
        const build = await operator.publish("vpn_ip_v1");
        await expectEventually(async () => (await there.metadata("vpn_ip_v1")).headers.get("x-build-id"), build.id);
        const newer = await operator.publish("vpn_ip_v1", "newer");
        await expectEventually(async () => (await there.metadata("vpn_ip_v1")).headers.get("x-build-id"), newer.id);
        await addVersion(operator.operation(), { id: "vpn_ip_v2", summary: "s", formats: ["mmdb"] });
        await expectEventually(async () => (await there.list()).json.databases[0].versions.length, 2);
        await endLicence(operator.operation(), licence.id);
        await expectEventually(statusThere, 403);
        await revokeKey(operator.operation(), here.keyId);
        await expectEventually(statusThere, 401);
      } finally {
        await first.close();
        await second.close();
        await opened.dispose();
      }
    });

    it("show each other's download attempts immediately", async () => {
      const opened = await stage.open({ DBDEPOT_LOG_LEVEL: "silent" });
      const [first, second] = [await startService(opened.settings), await startService(opened.settings)];
      try {
        const here = await new Operator(first, new TestClock()).customer("Acme");
        const there = new Customer(second.apiUrl, here.key, here);
        for (let i = 1; i <= 20; i += 1) {
          await here.download(`attempt_${i}`, "mmdb");
          expect((await there.history("?limit=1"))[0]?.dataset_id).toBe(`attempt_${i}`);
        }
      } finally {
        await first.close();
        await second.close();
        await opened.dispose();
      }
    });
  });
}
