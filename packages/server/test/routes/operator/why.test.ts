import { Explanation } from "@dbdepot/contract/operator/why";
import { FORMATS } from "@dbdepot/contract/shared/formats";
import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Customer, call, type Reply } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { updateFamily } from "../../../src/domain/catalogue/catalogue.ts";
import { revokeKey } from "../../../src/domain/keys/keys.ts";
import { command, expectError, type Robot, robotOf } from "./robot.ts";

const IDS = ["vpn_ip_v1", "vpn_ip_v2", "bogon_ip_v1", "geo_ip_v1", "secret_ip_v1", "x_provider_v1", "vpn_ip", "no,pe"];

for (const stage of eitherStage()) {
  describe(`GET /api/operator/why on ${stage.name}`, () => {
    let test: TestService;
    let robot: Robot;
    let customers: Customer[];

    beforeAll(async () => {
      test = await testService(stage);
      // The command uses the real time, so nothing may be dated later than that.
      test.clock.advance("-1 days");
      const { operator, clock } = test;
      robot = await robotOf(test, { scopes: ["operator.read"] });
      const acme = await operator.customer("Acme");
      const noScope = await operator.colleague(acme, { scopes: [] });
      const revoked = await operator.colleague(acme);
      await revokeKey(operator.operation(), revoked.keyId);
      customers = [acme, noScope, revoked, await operator.customer("Beta")];
      for (const id of ["vpn_ip_v1", "vpn_ip_v2", "bogon_ip_v1", "geo_ip_v1"]) await operator.addDatabase(id);
      await operator.addDatabase("secret_ip_v1", { visibility: "private" });
      await operator.addDatabase("x_provider_v1", { formats: ["csvgz"] });
      for (const base of ["vpn_ip", "secret_ip", "x_provider"]) await operator.grant("Acme", base);
      await operator.grant("Acme", "geo_ip", { expires: new Date(clock.now().getTime() + 1000) });
      for (const id of ["vpn_ip_v1", "bogon_ip_v1", "geo_ip_v1", "secret_ip_v1", "x_provider_v1"]) {
        await operator.publish(id);
      }
      clock.advance("2 seconds");
    });
    afterAll(() => test.dispose());

    function explain(customer: Customer, id: string, format: string): Promise<Explanation> {
      const query = new URLSearchParams({ org: customer.organizationId, id, format, key: customer.keyId });
      return robot.request<Explanation>("GET", `/why?${query}`);
    }

    it("explains a request by its id: how it was answered, and what would happen now", async () => {
      const { operator, service } = test;
      const delta = await operator.customer("Delta");
      const why = (reply: Reply) =>
        robot.request<Explanation>("GET", `/why?request=${reply.headers.get("x-request-id")}`);
      const refused = await delta.download("vpn_ip_v1", "mmdb");
      expect(await why(refused)).toMatchObject({ granted: false, status: 403, rc: "NOT_LICENSED" });
      await operator.grant("Delta", "vpn_ip");
      const explanation = await why(refused);
      expect(Value.Check(Explanation, explanation)).toBe(true);
      expect(explanation).toMatchObject({ granted: true, status: 302 });
      expect(explanation.facts[0]).toEqual({
        name: "request",
        finding: expect.stringMatching(
          /v2 download of vpn_ip_v1 as mmdb from 127.0.0.1: 403, refused, because .*licence/,
        ),
      });
      const stranger = await call(`${service.apiUrl}/api/v2/database/download?id=vpn_ip_v1&format=mmdb`);
      expect(await why(stranger)).toMatchObject({ granted: false, status: 401, reason: "no key was sent", steps: [] });
      expectError(await robot.get("/why?request=nothing"), 404, "NOT_FOUND", /no download has the request id/);
      expectError(await robot.get("/why?org=Acme"), 400, "INVALID_REQUEST", /org and id, or request/);
      const id = refused.headers.get("x-request-id") ?? "";
      expect(await command(test, "why", "--request", id)).toMatchObject({
        facts: [{ name: "request" }, {}, {}, {}, {}],
      });
    });

    it("predicts the response to a download for every customer, id and format", async () => {
      const seen = new Set<string>();
      for (const customer of customers) {
        for (const id of IDS) {
          for (const format of FORMATS) {
            const real = await customer.download(encodeURIComponent(id), format);
            const explanation = await explain(customer, id, format);
            const predicted = { status: explanation.status, rc: explanation.rc, granted: explanation.granted };
            expect({ id, format, ...predicted }).toEqual({
              id,
              format,
              status: real.status,
              rc: real.json?.rc ?? null,
              granted: real.status === 302,
            });
            seen.add(String(explanation.rc));
          }
        }
      }
      expect([...seen].sort()).toEqual([
        "INVALID_FORMAT",
        "LICENSE_EXPIRED",
        "NOT_AVAILABLE",
        "NOT_LICENSED",
        "UNAUTHORIZED",
        "UNKNOWN_DATASET",
        "null",
      ]);
    });

    it("returns the facts it checked, like the command, and does not appear in the history", async () => {
      const [acme] = customers as [Customer];
      const before = await test.service.services.store.attempts.list({ limit: 1 });
      const explanation = await explain(acme, "vpn_ip_v1", "mmdb");
      expect(Value.Check(Explanation, explanation)).toBe(true);
      expect(explanation.facts.map(({ name }) => name)).toEqual(["organization", "key", "database", "licence"]);
      const argv = ["why", "Acme", "geo_ip_v1", "--format", "mmdb", "--key", acme.key.slice(0, 12)];
      expect(await explain(acme, "geo_ip_v1", "mmdb")).toMatchObject({
        ...(await command<Explanation>(test, ...argv)),
      });
      expect(await robot.request("GET", "/why?org=Beta&id=vpn_ip_v1")).toMatchObject({ rc: "NOT_LICENSED" });
      expect(await test.service.services.store.attempts.list({ limit: 1 })).toEqual(before);
    });

    it("returns the checks in order, up to the one that failed", async () => {
      const [acme] = customers as [Customer];
      const results = async (query: string) => {
        const { steps } = await robot.request<Explanation>("GET", `/why?org=Acme&${query}`);
        return steps.map(({ name, result }) => `${name} ${result}`).join(", ");
      };
      const key = acme.key.slice(0, 12);
      expect(await results(`id=vpn_ip_v1&format=mmdb&key=${key}`)).toBe(
        "organization passed, key passed, database passed, licence passed, terms passed, format passed, build passed",
      );
      expect(await results("id=nothing_v1")).toBe(
        "organization passed, database failed, licence not_checked, terms not_checked, format not_checked, build not_checked",
      );
      const { steps } = await robot.request<Explanation>("GET", `/why?org=Beta&id=vpn_ip_v1&key=${key}`);
      expect(steps.map(({ result }) => result).slice(0, 3)).toEqual(["passed", "failed", "not_checked"]);
    });

    it("returns 401 for an organization without a working key", async () => {
      const gamma = await test.operator.customer("Gamma");
      await test.operator.grant("Gamma", "vpn_ip");
      const why = () => robot.request<Explanation>("GET", "/why?org=Gamma&id=vpn_ip_v1");
      expect(await why()).toMatchObject({ granted: true, status: 302 });
      await revokeKey(test.operator.operation(), gamma.keyId);
      const explanation = await why();
      expect(explanation).toMatchObject({ granted: false, status: 401, rc: "UNAUTHORIZED" });
      expect(explanation.reason).toContain("has no working key with the scope db.download");
      expect(explanation.steps.find(({ result }) => result === "failed")?.name).toBe("key");
    });

    it("names the check that refuses each download", async () => {
      const failing = new Set<string>();
      for (const customer of customers) {
        for (const id of IDS) {
          for (const format of FORMATS) {
            const { rc, steps } = await explain(customer, id, format);
            const [failed, ...others] = steps.filter(({ result }) => result === "failed");
            expect(others).toEqual([]);
            expect(failed === undefined).toBe(rc === null);
            if (failed) failing.add(`${failed.name} ${rc}`);
          }
        }
      }
      expect([...failing].sort()).toEqual([
        "build NOT_AVAILABLE",
        "database UNKNOWN_DATASET",
        "format INVALID_FORMAT",
        "key UNAUTHORIZED",
        "licence LICENSE_EXPIRED",
        "licence NOT_LICENSED",
      ]);
    });

    it("returns the start date of a licence that has not started", async () => {
      const starts = new Date(test.clock.now().getTime() + 86_400_000);
      await test.operator.grant("Beta", "vpn_ip", { starts });
      const explanation = await robot.request<Explanation>("GET", "/why?org=Beta&id=vpn_ip_v1&format=mmdb");
      expect(explanation).toMatchObject({
        rc: "NOT_LICENSED",
        reason: `the licence begins on ${starts.toISOString()}`,
      });
      expect(explanation.facts.at(-1)?.finding).toContain(`begins on ${starts.toISOString()}`);
    });

    it("explains that an open family needs no licence, like the command", async () => {
      await updateFamily(test.operator.operation(), "bogon_ip", { open: true });
      await test.operator.settle();
      const explanation = await robot.request<Explanation>("GET", "/why?org=Acme&id=bogon_ip_v1&format=mmdb");
      expect(explanation).toMatchObject({
        granted: true,
        status: 302,
        rc: null,
        reason: "the download works without a licence, because the family is open",
      });
      expect(explanation.facts.map(({ finding }) => finding).slice(1)).toEqual([
        expect.stringContaining("bogon_ip_v1 of the open family bogon_ip"),
        "none",
      ]);
      expect(await command(test, "why", "Acme", "bogon_ip_v1", "--format", "mmdb")).toEqual(explanation);
    });

    it("explains in a message which parameter is invalid", async () => {
      const refusals: [query: string, status: number, rc: string, message: string][] = [
        ["", 400, "INVALID_REQUEST", "give either org and id, or request"],
        ["?org=Acme", 400, "INVALID_REQUEST", "give either org and id, or request"],
        ["?org=Acme&id=vpn_ip_v1&format=zip", 400, "INVALID_REQUEST", "format must be one of csvgz, mmdb"],
        ["?org=Acme&id=%00", 400, "INVALID_REQUEST", "id contains invalid characters"],
        ["?org=Nobody&id=vpn_ip_v1", 404, "NOT_FOUND", 'no organization "Nobody"'],
        ["?org=Acme&id=vpn_ip_v1&key=dbd_00000000", 404, "NOT_FOUND", "there is no such key"],
      ];
      for (const [query, status, rc, message] of refusals) {
        expectError(await robot.get(`/why${query}`), status, rc, message);
      }
    });
  });
}
