import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Customer, expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { addFamily, updateFamily } from "../../../src/domain/catalogue/catalogue.ts";

/** The fields of the first release, in their order. */
const FIRST_DATABASE = ["base", "name", "summary", "standing", "redistribution", "starts", "expires", "versions"];
const FIRST_DOWNLOAD = "dataset_id format outcome bytes http_status apikey_id client_ip user_agent created".split(" ");

for (const stage of eitherStage()) {
  describe(`An open family on ${stage.name}`, () => {
    let test: TestService;
    let acme: Customer;

    beforeAll(async () => {
      test = await testService(stage);
      acme = await test.operator.customer("Acme");
      for (const id of ["open_ip_v1", "vpn_ip_v1"]) {
        await test.operator.addDatabase(id);
        await test.operator.publish(id);
      }
      await updateFamily(test.operator.operation(), "open_ip", { open: true });
      await test.operator.settle();
    });
    afterAll(() => test.dispose());

    const entry = async (base: string) =>
      (await acme.list()).json.databases.find((database: { base: string }) => database.base === base);

    it("can be listed, polled, verified and downloaded without a licence", async () => {
      expect(await entry("open_ip")).toMatchObject({ standing: "unlicensed", license_type: null, open: true });
      expect((await acme.metadata("open_ip_v1")).status).toBe(200);
      const checksum = await acme.checksum("open_ip_v1", "mmdb");
      expect(checksum.status).toBe(200);
      expect((await acme.download("open_ip_v1", "mmdb")).status).toBe(302);
      const build = checksum.headers.get("x-build-id");
      expect((await acme.download("open_ip_v1", "mmdb", `&build=${build}`)).status).toBe(302);
      expect((await acme.download("open_ip_v1", "mmdb", "&delivery=stream")).status).toBe(200);
      const attempts = await acme.history("?limit=3");
      expect(attempts.map(({ outcome, open }) => `${outcome} ${open}`)).toEqual(["ok true", "ok true", "ok true"]);
    });

    it("can be downloaded after the licence has ended, which its standing still shows", async () => {
      const now = test.clock.now().getTime();
      const term = { starts: new Date(now - 2000), expires: new Date(now - 1000) };
      for (const base of ["open_ip", "vpn_ip"]) await test.operator.grant(acme.organizationId, base, term);
      expect(await entry("open_ip")).toMatchObject({ standing: "expired", license_type: "standard", open: true });
      expect((await acme.download("open_ip_v1", "mmdb")).status).toBe(302);
      expectRefusal(await acme.download("vpn_ip_v1", "mmdb"), 403, "LICENSE_EXPIRED");
      expect((await acme.history("?limit=1"))[0]).toMatchObject({ outcome: "expired", open: false });
    });

    it("needs a licence again once it is closed", async () => {
      await updateFamily(test.operator.operation(), "open_ip", { open: false });
      await test.operator.settle();
      expectRefusal(await acme.download("open_ip_v1", "mmdb"), 403, "LICENSE_EXPIRED");
      await updateFamily(test.operator.operation(), "open_ip", { open: true });
      await test.operator.settle();
    });

    it("cannot be private", async () => {
      const add = addFamily(test.operator.operation(), { base: "x", name: "X", visibility: "private", open: true });
      await expect(add).rejects.toThrow("the family x cannot be both open and private");
      const hide = updateFamily(test.operator.operation(), "open_ip", { visibility: "private" });
      await expect(hide).rejects.toThrow("cannot be both open and private");
    });

    it("only adds fields after those of the first release", async () => {
      for (const database of (await acme.list()).json.databases) {
        expect(Object.keys(database).slice(0, FIRST_DATABASE.length)).toEqual(FIRST_DATABASE);
      }
      for (const attempt of await acme.history()) {
        expect(Object.keys(attempt).slice(0, FIRST_DOWNLOAD.length)).toEqual(FIRST_DOWNLOAD);
      }
    });
  });
}
