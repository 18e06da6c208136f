import { type AuditEntry, AuditList } from "@dbdepot/contract/operator/audit";
import { CsvParser } from "@dbdepot/formats/csv/parser";
import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { command, expectError, type Robot, robotOf } from "./robot.ts";

for (const stage of eitherStage()) {
  describe(`GET /api/operator/audit on ${stage.name}`, () => {
    let test: TestService;
    let robot: Robot;

    beforeAll(async () => {
      test = await testService(stage);
      robot = await robotOf(test);
      await robot.request("POST", "/families", { base: "vpn_ip", name: "VPN IP" });
      await robot.request("POST", "/organizations", { name: "Acme" });
      const terms = { org: "Acme", base: "vpn_ip", redistribution: "internal" };
      const { id } = await robot.request<{ id: string }>("POST", "/licences", terms);
      await robot.request("POST", `/licences/${id}/renew`, { expires: "2999-01-01" });
    });
    afterAll(() => test.dispose());

    it("returns who changed what with the old and new values, like the command", async () => {
      const { entries } = await robot.request<AuditList>("GET", "/audit");
      expect(Value.Check(AuditList, { entries })).toBe(true);
      expect(entries).toEqual(await command(test, "audit"));
      expect(entries[0]).toMatchObject({
        actor: `key:${robot.prefix}`,
        action: "licence.renewed",
        before: { expires: null },
        after: { expires: "2999-01-01T00:00:00.000Z" },
      });
      expect(entries.at(-1)).toMatchObject({ actor: "test", action: "key.created", before: null });
    });

    it("filters by the name of an organization, with its licences, and the prefix of a key", async () => {
      const of = async (subject: string) =>
        (await robot.request<AuditList>("GET", `/audit?subject=${subject}`)).entries.map(({ action }) => action);
      expect(await of("Acme")).toEqual(["licence.renewed", "licence.granted", "organization.added"]);
      expect(await of(robot.prefix)).toEqual(["key.created"]);
      expect(await of("Nobody")).toEqual([]);
    });

    it("filters by subject and pages through the entries", async () => {
      const { entries } = await robot.request<AuditList>("GET", "/audit?subject=vpn_ip");
      expect(entries).toMatchObject([{ action: "family.added" }]);
      const [newest] = (await robot.request<AuditList>("GET", "/audit?limit=1")).entries;
      const ofLicence = await robot.all<AuditEntry>(`/audit?limit=1&subject=${newest?.subject}`, "entries");
      expect(ofLicence.flat().map(({ action }) => action)).toEqual(["licence.renewed", "licence.granted"]);
      const pages = await robot.all<AuditEntry>("/audit?limit=2", "entries");
      expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
      expect(pages.flat()).toEqual(await command(test, "audit"));
    });

    it("filters by actor, action and time, like the command", async () => {
      const of = async (query: string) => (await robot.request<AuditList>("GET", `/audit?${query}`)).entries;
      const actor = `key:${robot.prefix}`;
      expect((await of("action=licence")).map(({ action }) => action)).toEqual(["licence.renewed", "licence.granted"]);
      expect(await of("action=licence")).toEqual(await command(test, "audit", "--action", "licence"));
      expect(await of(`actor=${actor}`)).toHaveLength(4);
      expect(await of(`actor=${actor}`)).toEqual(await command(test, "audit", "--actor", actor));
      expect(await of(`actor=test&action=family.added`)).toEqual([]);
      const now = test.clock.now().toISOString();
      expect(await of(`since=${now}`)).toHaveLength(5);
      expect(await of(`since=${now}`)).toEqual(await command(test, "audit", "--since", now));
      expect(await of(`until=${now}`)).toEqual([]);
    });

    it("exports all matching changes as CSV, with the states as JSON", async () => {
      for (const reply of [
        await robot.get("/audit?format=csv&action=licence"),
        await robot.get("/audit?action=licence", { accept: "text/csv" }),
      ]) {
        expect(reply.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
        expect(reply.headers.get("content-disposition")).toMatch(/filename="audit-.*\.csv"/);
        const parser = new CsvParser();
        const [header, ...rows] = [...parser.push(Buffer.from(reply.text)), ...parser.end()].map((row) => row.cells());
        expect(header).toEqual(["id", "actor", "action", "subject", "before", "after", "created"]);
        expect(rows.map(([, actor, action]) => [actor, action])).toEqual([
          [`key:${robot.prefix}`, "licence.renewed"],
          [`key:${robot.prefix}`, "licence.granted"],
        ]);
        expect(JSON.parse(rows[0]?.[5] ?? "")).toMatchObject({ expires: "2999-01-01T00:00:00.000Z" });
      }
    });

    it("returns 400 for unknown and invalid parameters", async () => {
      expectError(await robot.get("/audit?who=me"), 400, "INVALID_REQUEST", 'unknown "who"');
      expectError(await robot.get("/audit?since=x"), 400, "INVALID_REQUEST", 'since: "x" is not a date');
      expectError(await robot.get("/audit?format=csv&limit=5"), 400, "INVALID_REQUEST", "remove limit and cursor");
      expectError(await robot.get("/audit?subject=%00"), 400, "INVALID_REQUEST", "subject contains invalid characters");
      expectError(await robot.get("/audit?cursor=QWNtZQ"), 400, "INVALID_REQUEST", "invalid cursor");
    });
  });
}
