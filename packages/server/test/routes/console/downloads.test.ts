import { type ConsoleDownload, ConsoleDownloadList } from "@dbdepot/contract/console/history";
import { CsvParser } from "@dbdepot/formats/csv/parser";
import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Customer, Reply } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import type { Attempt } from "../../../src/domain/downloads/attempt.ts";
import { attemptAt } from "../../adapters/sql/samples.ts";
import { day } from "../../domain/licences/terms.ts";
import { type Person, personOf } from "./person.ts";

/** More rows than an export reads at once. */
const MANY = 1234;

for (const stage of eitherStage()) {
  describe(`GET /api/console/downloads on ${stage.name}`, () => {
    let test: TestService;
    let acme: Customer;
    let viewer: Person;
    let rows: Attempt[];
    let foreign: Attempt;
    beforeAll(async () => {
      test = await testService(stage);
      acme = await test.operator.customer("Acme");
      const beta = await test.operator.customer("Beta");
      viewer = await personOf(test, "viewer@example.com", "viewer", "Acme");
      const { organizationId, keyId } = acme;
      rows = [
        attemptAt(day(0), { organizationId, keyId, userAgent: "=1+1" }),
        attemptAt(day(1), { organizationId, keyId: null, outcome: "expired", cause: "licence_ended", bytes: null }),
        attemptAt(day(2), { organizationId, keyId, datasetId: "proxy_ip_v1" }),
      ];
      foreign = attemptAt(day(1), { organizationId: beta.organizationId, keyId: beta.keyId });
      await test.service.services.store.attempts.append([...rows, foreign]);
    });
    afterAll(() => test.dispose());

    async function found(query: string): Promise<(number | undefined)[]> {
      const reply = await viewer.get(`/api/console/downloads${query}`);
      expect(Value.Check(ConsoleDownloadList, reply.json)).toBe(true);
      return reply.json.downloads.map(({ id }: { id: string }) => rows.findIndex((row) => row.id === id));
    }

    function cellsOf(reply: Reply): string[][] {
      const parser = new CsvParser();
      return [...parser.push(Buffer.from(reply.text)), ...parser.end()].map((row) => row.cells());
    }

    it("returns the attempts of the person's organization only, newest first, with the cause of a refusal", async () => {
      expect(await found("")).toEqual([2, 1, 0]);
      const { downloads } = (await viewer.get("/api/console/downloads")).json;
      expect(downloads.map((row: ConsoleDownload) => row.cause)).toEqual([null, "licence_ended", null]);
    });

    it("applies each filter alone and all of them together", async () => {
      expect(await found("?outcome=expired")).toEqual([1]);
      expect(await found("?outcome=refused")).toEqual([1]);
      expect(await found("?database=proxy_ip_v1")).toEqual([2]);
      expect(await found(`?key=${acme.keyId}`)).toEqual([2, 0]);
      expect(await found(`?request=${rows[1]?.id}`)).toEqual([1]);
      expect(await found(`?request=${foreign.id}`)).toEqual([]);
      expect(await found("?from=2027-01-02")).toEqual([2, 1]);
      expect(await found("?to=2027-01-02")).toEqual([0]);
      expect(await found(`?outcome=ok&database=vpn_ip_v1&key=${acme.keyId}&from=2027-01-01&to=2027-01-03`)).toEqual([
        0,
      ]);
    });

    it("names the keys to admins, who may list them", async () => {
      const admin = await personOf(test, "admin@example.com", "admin", "Acme");
      const names = async (person: Person) =>
        (await person.get("/api/console/downloads")).json.downloads.map((row: ConsoleDownload) => row.key_name);
      const name = (await test.service.services.store.keys.byId(acme.keyId))?.name;
      expect(await names(admin)).toEqual([name, null, name]);
      expect(await names(viewer)).toEqual([null, null, null]);
    });

    it("pages with the Link header, which keeps the filters", async () => {
      const first = await viewer.get("/api/console/downloads?outcome=ok&limit=1");
      expect(first.json.downloads).toMatchObject([{ id: rows[2]?.id }]);
      const next = /<([^>]+)>; rel="next"/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
      const second = await viewer.get(next);
      expect(second.json.downloads).toMatchObject([{ id: rows[0]?.id }]);
      expect(second.headers.get("link")).toBeNull();
    });

    it("explains which filter is invalid", async () => {
      for (const [query, message] of [
        ["?outcome=fine", "outcome must be one of"],
        ["?from=yesterday", 'from: "yesterday" is not a date'],
        ["?organization=Beta", 'unknown "organization"'],
        ["?format=csv&limit=5", "remove limit and cursor"],
      ]) {
        const { json } = await viewer.get(`/api/console/downloads${query}`);
        expect(json.rc).toBe("INVALID_REQUEST");
        expect(json.message).toContain(message);
      }
    });

    it("exports everything that matches as CSV without formulas", async () => {
      const many = Array.from({ length: MANY }, () =>
        attemptAt(day(9), { organizationId: acme.organizationId, datasetId: "many_v1" }),
      );
      await test.service.services.store.attempts.append(many);
      const all = cellsOf(await viewer.get("/api/console/downloads?format=csv&database=many_v1"));
      expect(all).toHaveLength(MANY + 1);
      expect(new Set(all.slice(1).map(([id]) => id))).toEqual(new Set(many.map(({ id }) => id)));
      const reply = await viewer.send("GET", "/api/console/downloads?to=2027-01-02", {
        headers: { accept: "text/csv" },
      });
      expect(reply.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
      expect(reply.headers.get("content-disposition")).toMatch(/^attachment; filename="history-.*\.csv"$/);
      const [header = [], cells = []] = cellsOf(reply);
      const record = Object.fromEntries(header.map((name, i) => [name, cells[i]]));
      expect(record).toMatchObject({ id: rows[0]?.id, outcome: "ok", user_agent: "'=1+1", apikey_id: acme.keyId });
    });
  });
}
