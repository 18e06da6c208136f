import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { Overview } from "@dbdepot/contract/console/overview";
import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Customer, call } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { publishFiles } from "../../../src/domain/builds/publishing/publish-files.ts";
import { grantLicence } from "../../../src/domain/licences/licences.ts";
import { DAY_MS } from "../../../src/platform/primitives/dates.ts";
import { runCommand } from "../../commands/terminal.ts";
import { sampleBuild } from "../../domain/builds/sample-build.ts";
import { type Person, personOf } from "./person.ts";

for (const stage of eitherStage()) {
  describe(`GET /api/console/overview on ${stage.name}`, () => {
    let test: TestService;
    let operator: Person;
    let acme: Customer;
    beforeAll(async () => {
      test = await testService(stage);
      acme = await test.operator.customer("Acme");
      await test.operator.customer("Beta");
      for (const id of ["vpn_ip_v1", "bogon_ip_v1"]) {
        await test.operator.addDatabase(id);
        await test.operator.publish(id);
      }
      operator = await personOf(test, "olivia@example.com", "operator");
    });
    afterAll(() => test.dispose());

    const inDays = (days: number) => new Date(test.clock.now().getTime() + days * DAY_MS);
    async function overview(): Promise<Overview> {
      const { status, json } = await operator.get("/api/console/overview");
      expect(status).toBe(200);
      expect(Value.Check(Overview, json)).toBe(true);
      return json;
    }

    it("is empty and healthy without problems", async () => {
      expect(await overview()).toMatchObject({
        overdue: [],
        ending: { total: 0, licences: [] },
        evaluations: { total: 0, licences: [] },
        refused_keys: [],
        setup: {
          database: true,
          build: true,
          organization: true,
          licence: false,
          invitation: false,
          last_backup: null,
        },
        health: { status: "ready", database: { state: "ok" }, storage: { state: "ok" }, spool: { files: 0 } },
      });
    });

    it("lists licences that end within 60 days, soonest first, and evaluations apart", async () => {
      await test.operator.grant("Acme", "vpn_ip", { expires: inDays(59) });
      await test.operator.grant("Beta", "vpn_ip", { expires: inDays(10) });
      await test.operator.grant("Acme", "bogon_ip", { expires: inDays(61) });
      const evaluation = { organization: "Beta", base: "bogon_ip", redistribution: "evaluation" };
      await grantLicence(test.operator.operation(), { ...evaluation, expires: inDays(20) });
      const { ending, evaluations } = await overview();
      expect(ending.total).toBe(2);
      expect(ending.licences.map(({ organization, base }) => [organization.name, base])).toEqual([
        ["Beta", "vpn_ip"],
        ["Acme", "vpn_ip"],
      ]);
      expect(evaluations).toMatchObject({
        total: 1,
        licences: [{ organization: { name: "Beta" }, base: "bogon_ip", expires: inDays(20).toISOString() }],
      });
    });

    it("counts refusals by key, also of keys that are not recognized", async () => {
      for (let i = 0; i < 3; i++) await acme.download("nothing_v1", "mmdb");
      await acme.download("vpn_ip_v1", "mmdb");
      const url = `${acme.apiUrl}/api/v2/database/download?id=vpn_ip_v1&format=mmdb`;
      await call(url, { headers: { "x-api-key": "unknown" } });
      const { refused_keys: keys } = await overview();
      expect(keys).toMatchObject([
        { key: { id: acme.keyId }, organization: { id: acme.organizationId, name: "Acme" }, refused: 3 },
        { key: null, organization: null, refused: 1 },
      ]);
    });

    it("lists versions whose next build is late", async () => {
      const { store, objects } = test.service.services;
      await test.operator.addDatabase("tor_ip_v1", { formats: ["csvgz"] });
      const operation = async () => ({ store, actor: "test", now: test.clock.now() });
      const overrides = { update_freq: "every 2 hours" };
      const { document, files } = sampleBuild("tor_ip_v1", { formats: ["csvgz"], overrides });
      const sources = { csvgz: Readable.from([files.csvgz]) };
      await publishFiles({ operation, objects }, { versionId: "tor_ip_v1", document, files: sources, force: false });
      const published = test.clock.now().toISOString();
      expect((await overview()).overdue).toEqual([]);
      test.clock.advance("10800 seconds");
      expect((await overview()).overdue).toEqual([
        { id: "tor_ip_v1", base: "tor_ip", update_freq: "every 2 hours", published },
      ]);
    });

    it("ticks the first steps that have been taken", async () => {
      await personOf(test, "ada@example.com", "admin", "Acme");
      const folder = await mkdtemp(join(tmpdir(), "dbdepot-test-"));
      expect(await runCommand(["backup", join(folder, "backup")], test.stage.environment)).toMatchObject({
        exitCode: 0,
      });
      await rm(folder, { recursive: true });
      const { setup } = await overview();
      expect(setup).toMatchObject({ licence: true, invitation: true, mail: false, last_backup: expect.any(String) });
    });

    it("forgets refusals after 7 days", async () => {
      test.clock.advance("8 days");
      // Sessions end after 12 hours without a request.
      expect((await operator.signIn()).status).toBe(200);
      expect((await overview()).refused_keys).toEqual([]);
    });
  });
}
