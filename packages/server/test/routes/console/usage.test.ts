import { Usage, type UsageDay } from "@dbdepot/contract/console/history";
import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Customer } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { attemptAt } from "../../adapters/sql/samples.ts";
import { day } from "../../domain/licences/terms.ts";
import { type Person, personOf } from "./person.ts";

for (const stage of eitherStage()) {
  describe(`GET /api/console/usage on ${stage.name}`, () => {
    let test: TestService;
    let acme: Customer;
    let beta: Customer;
    let viewer: Person;
    let operator: Person;
    beforeAll(async () => {
      test = await testService(stage);
      acme = await test.operator.customer("Acme");
      beta = await test.operator.customer("Beta");
      viewer = await personOf(test, "viewer@example.com", "viewer", "Acme");
      operator = await personOf(test, "operator@example.com", "operator_viewer");
      const { organizationId, keyId } = acme;
      await test.service.services.store.attempts.append([
        attemptAt(day(0), { organizationId, keyId, bytes: 10 }),
        attemptAt(day(0), { organizationId, keyId: null, outcome: "expired", bytes: null }),
        attemptAt(day(2), { organizationId, keyId, datasetId: "proxy_ip_v1", bytes: 20 }),
        attemptAt(day(1), { organizationId: beta.organizationId, keyId: beta.keyId, bytes: 40 }),
        attemptAt(day(1), { organizationId: null, keyId: null, outcome: "unauthorized", bytes: null }),
      ]);
    });
    afterAll(() => test.dispose());

    async function usage(person: Person, query: string): Promise<UsageDay[]> {
      const reply = await person.get(`/api/console/usage${query}`);
      expect(reply.status).toBe(200);
      expect(Value.Check(Usage, reply.json)).toBe(true);
      return reply.json.days;
    }

    const numbers = (days: UsageDay[]) => days.map(({ date, ok, refused, bytes }) => [date, ok, refused, bytes]);

    it("returns every day of the period for the customer's own organization", async () => {
      const own = [
        ["2027-01-01", 1, 1, 10],
        ["2027-01-02", 0, 0, 0],
        ["2027-01-03", 1, 0, 20],
      ];
      expect(numbers(await usage(viewer, "?from=2027-01-01&to=2027-01-04"))).toEqual(own);
      expect(numbers(await usage(viewer, "?from=2027-01-01&to=2027-01-04&organization=Beta"))).toEqual(own);
      expect(numbers(await usage(viewer, "?from=2027-01-01T00:00:01Z&to=2027-01-02T12:00:00Z"))).toEqual([
        ["2027-01-01", 0, 0, 0],
        ["2027-01-02", 0, 0, 0],
      ]);
    });

    it("filters by database, key and outcome", async () => {
      const period = "?from=2027-01-01&to=2027-01-04";
      const granted = (days: UsageDay[]) => days.map(({ ok, refused }) => [ok, refused]);
      expect(granted(await usage(viewer, `${period}&database=proxy_ip_v1`))).toEqual([
        [0, 0],
        [0, 0],
        [1, 0],
      ]);
      expect(granted(await usage(viewer, `${period}&key=${acme.keyId}`))).toEqual([
        [1, 0],
        [0, 0],
        [1, 0],
      ]);
      expect(granted(await usage(viewer, `${period}&outcome=refused`))).toEqual([
        [0, 1],
        [0, 0],
        [0, 0],
      ]);
      expect(granted(await usage(operator, `${period}&outcome=unauthorized`))).toEqual([
        [0, 0],
        [0, 1],
        [0, 0],
      ]);
      expect(granted(await usage(viewer, `${period}&key=${beta.keyId}`))).toEqual([
        [0, 0],
        [0, 0],
        [0, 0],
      ]);
    });

    it("returns all organizations to operators, or one of them", async () => {
      const period = "?from=2027-01-01&to=2027-01-03";
      expect(numbers(await usage(operator, period))).toEqual([
        ["2027-01-01", 1, 1, 10],
        ["2027-01-02", 1, 1, 40],
      ]);
      for (const organization of ["Beta", beta.organizationId]) {
        expect(numbers(await usage(operator, `${period}&organization=${organization}`))).toEqual([
          ["2027-01-01", 0, 0, 0],
          ["2027-01-02", 1, 0, 40],
        ]);
      }
      for (const key of [beta.keyId, beta.key.slice(0, 12)]) {
        const days = await usage(operator, `${period}&key=${key}`);
        expect(days.map(({ ok, refused }) => [ok, refused])).toEqual([
          [0, 0],
          [1, 0],
        ]);
      }
      expect((await operator.get(`/api/console/usage?organization=Nobody`)).json.rc).toBe("NOT_FOUND");
    });

    it("covers the last 30 days by default", async () => {
      await acme.download("vpn_ip_v1", "mmdb");
      const days = await usage(viewer, "");
      expect(days).toHaveLength(30);
      expect(days.at(-1)).toEqual({ date: test.clock.now().toISOString().slice(0, 10), ok: 0, refused: 1, bytes: 0 });
      expect((await usage(viewer, "?to=2027-01-04")).map(({ date }) => date).slice(0, 1)).toEqual(["2026-12-05"]);
    });

    it("refuses periods that are reversed, too long, or not dates", async () => {
      expect(await usage(viewer, "?from=2026-01-01&to=2027-02-05")).toHaveLength(400);
      for (const [query, message] of [
        ["?from=2027-01-02&to=2027-01-02", "to must be later than from"],
        ["?from=2026-01-01&to=2027-02-06", "must not exceed 400 days"],
        ["?from=yesterday", 'from: "yesterday" is not a date'],
        ["?since=2027-01-01", "since"],
      ]) {
        const reply = await viewer.get(`/api/console/usage${query}`);
        expect(reply.json.rc).toBe("INVALID_REQUEST");
        expect(reply.json.message).toContain(message);
      }
    });
  });
}
