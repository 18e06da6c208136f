import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startMailServer } from "../../../../../rigs/harness/servers/mail-server.ts";
import { type Customer, expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage, stages } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { DAY_MS } from "../../../src/platform/primitives/dates.ts";
import { type Person, personOf } from "./person.ts";

const REQUESTS = "/api/console/access-requests";

for (const stage of eitherStage()) {
  describe(`licences of an organization on ${stage.name}`, () => {
    let test: TestService;
    let mails: Awaited<ReturnType<typeof startMailServer>>;
    let acme: Customer;
    let viewer: Person;
    let operator: Person;
    const inDays = (days: number) => new Date(test.clock.now().getTime() + days * DAY_MS);
    beforeAll(async () => {
      mails = await startMailServer();
      test = await testService(stage, {
        DBDEPOT_SMTP_URL: mails.url,
        DBDEPOT_MAIL_FROM: "depot@vendor.example",
        DBDEPOT_OPERATOR_MAIL: "Sales@vendor.example",
      });
      acme = await test.operator.customer("Acme");
      await test.operator.customer("Globex");
      await test.operator.addDatabase("vpn_ip_v1");
      await test.operator.addDatabase("tor_ip_v1");
      await test.operator.addDatabase("secret_ip_v1", { visibility: "private" });
      await test.operator.grant("Globex", "secret_ip");
      viewer = await personOf(test, "viewer@acme.example", "viewer", "Acme");
      operator = await personOf(test, "ops@vendor.example", "operator");
    });
    afterAll(async () => {
      await test.dispose();
      await mails[Symbol.asyncDispose]();
    });

    const requested = async () => {
      const { entries } = (await operator.get(`/api/operator/audit?subject=${acme.organizationId}`)).json;
      return entries.filter(({ action }: { action: string }) => action === "access_request.created");
    };

    it("include past, current and future terms of this organization only", async () => {
      await test.operator.grant("Acme", "vpn_ip", { starts: inDays(-400), expires: inDays(-35) });
      await test.operator.grant("Acme", "vpn_ip", { starts: inDays(30), expires: null });
      await test.operator.grant("Acme", "tor_ip", { starts: inDays(-1), expires: inDays(20) });
      const { status, json } = await viewer.get("/api/console/licences");
      expect(status).toBe(200);
      expect(json.contact).toBe("sales@vendor.example");
      expect(json.licences).toEqual([
        {
          id: expect.any(String),
          base: "tor_ip",
          name: "The family tor_ip",
          redistribution: "internal",
          state: "live",
          starts: inDays(-1).toISOString(),
          expires: inDays(20).toISOString(),
          renews_at: null,
          notice_due_at: null,
          terms: null,
        },
        expect.objectContaining({ base: "vpn_ip", state: "ended", expires: inDays(-35).toISOString() }),
        expect.objectContaining({ base: "vpn_ip", state: "upcoming", expires: null }),
      ]);
    });

    it("can be requested by e-mail, which the audit log records", async () => {
      const reply = await viewer.post(REQUESTS, { base: "vpn_ip", message: "  For our gateway\nin Europe " });
      const created = test.clock.now().toISOString();
      const request = {
        id: expect.any(String),
        base: "vpn_ip",
        requested_by: "viewer@acme.example",
        message: "For our gateway\nin Europe",
        state: "pending",
        reply: null,
        decided: null,
        created,
      };
      expect([reply.status, reply.json]).toEqual([
        200,
        { mailed: true, mail: { state: "sent", error: null }, already_pending: false, request },
      ]);
      const [mail = ""] = mails.mails.splice(0);
      expect(mail).toContain("To: sales@vendor.example");
      expect(mail).toContain("Reply-To: viewer@acme.example");
      expect(mail).toContain("Subject: Acme asks for The family vpn_ip");
      expect(mail).toContain("For our gateway\r\nin Europe");
      expect(mail).toContain("Licence now: expired");
      expect(mail).toContain(`${test.service.apiUrl}/console/requests?request=${reply.json.request.id}`);
      expect(await requested()).toEqual([
        expect.objectContaining({
          actor: "account:viewer@acme.example",
          subject: reply.json.request.id,
          after: expect.objectContaining({ base: "vpn_ip", message: "For our gateway\nin Europe" }),
        }),
      ]);
    });

    it("can be requested once until the vendor answers, and the answer is shown", async () => {
      const { requests } = (await viewer.get(REQUESTS)).json;
      expect(requests).toEqual([expect.objectContaining({ base: "vpn_ip", state: "pending" })]);
      const again = await viewer.post(REQUESTS, { base: "vpn_ip", message: "Hurry up" });
      expect(again.json).toEqual({ mailed: false, mail: null, already_pending: true, request: requests[0] });
      expect(mails.mails).toEqual([]);
      const { id } = requests[0];
      await operator.post(`/api/operator/requests/${id}/decline`, { reason: "Not in your country" });
      const answered = { ...requests[0], state: "declined", reply: "Not in your country", decided: expect.any(String) };
      expect((await viewer.get(REQUESTS)).json).toEqual({ requests: [answered] });
      mails.mails.splice(0);
    });

    it("get the same response for a private family of others as for one that does not exist", async () => {
      const before = (await requested()).length;
      for (const base of ["secret_ip", "never_existed", "", "vpn_ip_v1"]) {
        expectRefusal(await viewer.post(REQUESTS, { base }), 404, "UNKNOWN_DATASET");
      }
      expect(mails.mails).toEqual([]);
      expect((await requested()).length).toBe(before);
    });

    it("are requested with one family and a message of limited length", async () => {
      for (const body of [
        {},
        { base: 1 },
        { base: "vpn_ip", message: "x".repeat(2001) },
        { base: "vpn_ip", more: 1 },
      ]) {
        const reply = await viewer.post(REQUESTS, body);
        expect([reply.status, reply.json.rc]).toEqual([400, "INVALID_REQUEST"]);
      }
    });

    it("can be requested a limited number of times, which does not limit other organizations", async () => {
      const statuses: number[] = [];
      for (let i = 0; i < 25; i += 1) statuses.push((await viewer.post(REQUESTS, { base: "never_existed" })).status);
      const limited = await viewer.post(REQUESTS, { base: "vpn_ip" });
      expectRefusal(limited, 429, "RATE_LIMITED");
      expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(statuses.filter((status) => status === 404).length).toBeLessThanOrEqual(20);
      const globex = await personOf(test, "admin@globex.example", "admin", "Globex");
      expect((await globex.post(REQUESTS, { base: "vpn_ip" })).json).toMatchObject({ mailed: true });
    });
  });
}

describe("a request for access", () => {
  const [stage] = stages();
  if (!stage) throw new Error("no stage to test on");

  it("is recorded even if nobody can be notified", async () => {
    const noServer = "smtp://127.0.0.1:1";
    for (const settings of [
      {},
      { DBDEPOT_OPERATOR_MAIL: "sales@vendor.example" },
      {
        DBDEPOT_OPERATOR_MAIL: "sales@vendor.example",
        DBDEPOT_SMTP_URL: noServer,
        DBDEPOT_MAIL_FROM: "depot@vendor.example",
      },
    ]) {
      const test = await testService(stage, settings);
      try {
        await test.operator.customer("Acme");
        await test.operator.addDatabase("vpn_ip_v1");
        const admin = await personOf(test, "admin@acme.example", "admin", "Acme");
        expect((await admin.post(REQUESTS, { base: "vpn_ip" })).json).toMatchObject({ mailed: false });
        const { entries } = (await (await personOf(test, "ops@vendor.example", "operator")).get("/api/operator/audit"))
          .json;
        const actions = entries.map(({ action }: { action: string }) => action);
        expect(actions).toContain("access_request.created");
      } finally {
        await test.dispose();
      }
    }
  });
});
