import { LicenceList, type OperatorLicence } from "@dbdepot/contract/operator/licences";
import type { Database } from "@dbdepot/contract/v2/catalogue";
import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Customer } from "../../../../../rigs/harness/service/customer.ts";
import { stages } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { command, expectError, type Robot, robotOf } from "./robot.ts";

for (const stage of stages()) {
  describe(`/api/operator/licences on ${stage.name}`, () => {
    let test: TestService;
    let robot: Robot;
    let acme: Customer;

    beforeAll(async () => {
      test = await testService(stage);
      // The command uses the real time, so nothing may be dated later than that.
      test.clock.advance("-1 days");
      robot = await robotOf(test);
      acme = await test.operator.customer("Acme");
      await test.operator.customer("Beta");
      for (const id of ["vpn_ip_v1", "bogon_ip_v1"]) await test.operator.addDatabase(id);
      for (const id of ["vpn_ip_v1", "bogon_ip_v1"]) await test.operator.publish(id);
    });
    afterAll(() => test.dispose());

    function grant(body: Record<string, unknown>): Promise<OperatorLicence> {
      const terms = { org: "Acme", base: "vpn_ip", redistribution: "internal" };
      return robot.request<OperatorLicence>("POST", "/licences", { ...terms, ...body });
    }

    async function actions(subject: string): Promise<string[]> {
      const entries = await test.service.services.store.audit.list({ subjects: [subject], limit: 9 });
      return entries.map(({ actor, action }) => `${actor === `key:${robot.prefix}`} ${action}`);
    }

    it("grants, ends and renews licences with immediate effect", async () => {
      expect((await acme.download("vpn_ip_v1", "mmdb")).status).toBe(403);
      const granted = await grant({ expires: "2999-01-01" });
      expect(granted).toEqual({
        id: expect.any(String),
        organization_id: acme.organizationId,
        base: "vpn_ip",
        redistribution: "internal",
        starts: test.clock.now().toISOString(),
        expires: "2999-01-01T00:00:00.000Z",
        state: "live",
        created: test.clock.now().toISOString(),
        renews_at: null,
        notice_due_at: null,
        external_id: null,
        terms: null,
      });
      expect((await acme.download("vpn_ip_v1", "mmdb")).status).toBe(302);
      test.clock.advance("1 seconds");
      const ended = await robot.request("POST", `/licences/${granted.id}/end`);
      expect(ended).toEqual({ ...granted, state: "ended", expires: test.clock.now().toISOString() });
      expect((await acme.download("vpn_ip_v1", "mmdb")).json).toEqual({ rc: "LICENSE_EXPIRED" });
      const renewed = await robot.request("POST", `/licences/${granted.id.toUpperCase()}/renew`, { expires: null });
      expect(renewed).toEqual({ ...granted, expires: null });
      expect((await acme.download("vpn_ip_v1", "mmdb")).status).toBe(302);
      expect(await actions(granted.id)).toEqual(["true licence.renewed", "true licence.ended", "true licence.granted"]);
    });

    it("lists all licences or those of one organization or family in pages, like the command", async () => {
      const upcoming = await grant({ org: acme.organizationId, base: "bogon_ip", starts: "2999-01-01T00:00:00+01:00" });
      expect(upcoming).toMatchObject({ state: "upcoming", starts: "2998-12-31T23:00:00.000Z", expires: null });
      for (let i = 0; i < 3; i += 1) await grant({ org: "Beta" });
      const pages = await robot.all<OperatorLicence>("/licences?limit=2", "licences");
      expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
      expect(Value.Check(LicenceList, { licences: pages.flat() })).toBe(true);
      expect(pages.flat()).toEqual(await command(test, "licences", "list"));
      const ofAcme = await robot.all<OperatorLicence>("/licences?org=Acme&limit=1", "licences");
      expect(ofAcme.flat()).toEqual(await command(test, "licences", "list", "Acme"));
      expect(ofAcme).toHaveLength(2);
      const query = `org=${acme.organizationId}&base=bogon_ip`;
      expect(await robot.request("GET", `/licences?${query}`)).toEqual({ licences: [upcoming] });
    });

    it("records and clears the dates of the contract, shown to the customer and wherever licences are", async () => {
      const term = { base: "bogon_ip", renews_at: "2998-01-01", notice_due_at: "2997-10-01" };
      const dates = { renews_at: "2998-01-01T00:00:00.000Z", notice_due_at: "2997-10-01T00:00:00.000Z" };
      const granted = await grant({ ...term, starts: "2026-01-01", expires: "2998-01-01" });
      expect(granted).toMatchObject(dates);
      const listed = async () => (await acme.list()).json.databases.find(({ base }: Database) => base === "bogon_ip");
      expect(await listed()).toMatchObject({ standing: "licensed", ...dates });
      const why = await robot.request<{ facts: unknown[] }>("GET", "/why?org=Acme&id=bogon_ip_v1");
      const finding = expect.stringMatching(/the contract renews on 2998-01-01T\S+, notice is due by 2997-10-01T/);
      expect(why.facts).toContainEqual({ name: "licence", finding });
      const renewed = await robot.request("POST", `/licences/${granted.id}/renew`, { notice_due_at: null });
      expect(renewed).toEqual({ ...granted, notice_due_at: null });
      const audit = await robot.request<{ entries: unknown[] }>("GET", `/audit?subject=${granted.id}`);
      expect(audit.entries[0]).toMatchObject({
        action: "licence.updated",
        before: { renewsAt: dates.renews_at, noticeDueAt: dates.notice_due_at },
        after: { renewsAt: dates.renews_at, noticeDueAt: null },
      });
      expect(await listed()).toMatchObject({ renews_at: dates.renews_at, notice_due_at: null });
      await robot.request("POST", `/licences/${granted.id}/end`);
    });

    it("lets evaluations end by default, and lists and counts those that end soon", async () => {
      const evaluation = await grant({ org: "Beta", redistribution: "evaluation" });
      const start = new Date(evaluation.starts).getTime();
      expect(evaluation.expires).toBe(new Date(start + 30 * 86_400_000).toISOString());
      const endless = await grant({ org: "Beta", redistribution: "evaluation", expires: null });
      expect(endless.expires).toBeNull();
      const soon = new Date(start + 10 * 86_400_000).toISOString();
      const ending = await grant({ org: "Beta", redistribution: "evaluation", expires: soon });
      const before = new Date(start + 14 * 86_400_000).toISOString();
      const filter = `redistribution=evaluation&ends_before=${before}`;
      expect(await robot.request("GET", `/licences?${filter}`)).toEqual({ licences: [ending] });
      const options = ["--redistribution", "evaluation", "--ends-before", before];
      expect(await command(test, "licences", "list", ...options)).toEqual([ending]);
      expect((await robot.all("/licences?redistribution=evaluation", "licences")).flat()).toHaveLength(3);
      const metric = test.service.services.metrics.registry.getSingleMetric("dbdepot_evaluations_ending");
      expect((await metric?.get())?.values).toMatchObject([{ value: 1 }]);
    });

    it("explains in a message why a request was refused, and changes nothing", async () => {
      const { id } = await grant({ base: "bogon_ip" });
      const cancelled = await grant({ base: "bogon_ip", starts: "2999-01-01" });
      await robot.request("POST", `/licences/${cancelled.id}/end`);
      const revision = await test.service.services.store.revision();
      const terms = { org: "Acme", base: "vpn_ip", redistribution: "internal" };
      const noticeTooLate = { renews_at: "2999-01-01", notice_due_at: "2999-01-02" };
      const refusals: [path: string, body: unknown, status: number, rc: string, message: string][] = [
        ["", { ...terms, org: "Nobody" }, 404, "NOT_FOUND", 'no organization "Nobody"'],
        ["", { ...terms, org: "a\0b" }, 400, "INVALID_REQUEST", "org contains invalid characters"],
        ["", { ...terms, base: "nope" }, 404, "NOT_FOUND", 'no family "nope"'],
        ["", { ...terms, base: "vpn_ip_v1" }, 404, "NOT_FOUND", "that is a version of the family vpn_ip"],
        ["", { ...terms, redistribution: "all" }, 400, "INVALID_REQUEST", "evaluation, internal, redistribute"],
        ["", { ...terms, starts: "tomorrow" }, 400, "INVALID_REQUEST", 'starts: "tomorrow" is not a date'],
        ["", { ...terms, expires: "2027-02-30" }, 400, "INVALID_REQUEST", 'expires: "2027-02-30" is not a date'],
        ["", { ...terms, expires: "2001-01-01" }, 400, "INVALID_REQUEST", "before it starts"],
        [`/${id}/renew`, {}, 400, "INVALID_REQUEST", "expires), renews_at, notice_due_at or terms: give at least one"],
        ["", { ...terms, renews_at: "soon" }, 400, "INVALID_REQUEST", 'renews_at: "soon" is not a date'],
        ["", { ...terms, ...noticeTooLate }, 400, "INVALID_REQUEST", "after the contract has renewed"],
        [`/${id}/renew`, noticeTooLate, 400, "INVALID_REQUEST", "after the contract has renewed"],
        [`/${id}/renew`, undefined, 400, "INVALID_REQUEST", "must be an object"],
        [`/${id}/renew`, { expires: "2001-01-01" }, 400, "INVALID_REQUEST", "before it starts"],
        [`/${cancelled.id}/renew`, { expires: null }, 409, "CONFLICT", "ended before it began"],
        [`/${cancelled.id}/end`, undefined, 409, "CONFLICT", "has already ended"],
        ["/nothing/end", undefined, 404, "NOT_FOUND", 'no licence "nothing"'],
        ["/%00/end", undefined, 404, "NOT_FOUND", "no licence"],
        [`/${acme.organizationId}/end`, undefined, 404, "NOT_FOUND", "no licence"],
      ];
      for (const [path, body, status, rc, message] of refusals) {
        expectError(await robot.post(`/licences${path}`, body), status, rc, message);
      }
      expectError(await robot.get("/licences?org=Nobody"), 404, "NOT_FOUND", 'no organization "Nobody"');
      expectError(await robot.get("/licences?base=nope"), 404, "NOT_FOUND", 'no family "nope"');
      const notAnId = Buffer.from("Acme").toString("base64url");
      expectError(await robot.get(`/licences?cursor=${notAnId}`), 400, "INVALID_REQUEST", "invalid cursor");
      expect(await test.service.services.store.revision()).toBe(revision);
    });

    it("searches, filters and sorts licences, like the command", async () => {
      await grant({ org: "Beta", expires: "2998-01-01" });
      await grant({ org: "Beta", redistribution: "evaluation", expires: "2997-01-01" });
      const query = "search=beta%20VPN&state=live&redistribution=contract&sort=-expires&base=vpn_ip";
      const found = (await robot.all<OperatorLicence>(`/licences?${query}&limit=2`, "licences")).flat();
      expect(found.map(({ expires }) => expires)).toEqual([null, null, null, "2998-01-01T00:00:00.000Z"]);
      const options = ["--search", "beta VPN", "--state", "live", "--redistribution", "contract", "--sort", "-expires"];
      expect(await command(test, "licences", "list", "--family", "vpn_ip", ...options)).toEqual(found);
      expectError(await robot.get("/licences?sort=size"), 400, "INVALID_REQUEST", "sort must be one of");
    });
  });
}
