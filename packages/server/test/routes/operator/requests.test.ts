import { type DecidedRequest, type OperatorRequest, RequestList } from "@dbdepot/contract/operator/requests";
import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startMailServer } from "../../../../../rigs/harness/servers/mail-server.ts";
import type { Customer } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { createRequest } from "../../../src/domain/requests/requests.ts";
import { command, expectError, type Robot, robotOf } from "./robot.ts";

const person = { email: "ada@acme.example", name: "Ada" };
const FAMILIES = ["vpn_ip", "tor_ip", "bogon_ip", "proxy_ip"];

for (const stage of eitherStage()) {
  describe(`/api/operator/requests on ${stage.name}`, () => {
    let test: TestService;
    let mails: Awaited<ReturnType<typeof startMailServer>>;
    let robot: Robot;
    let acme: Customer;

    beforeAll(async () => {
      mails = await startMailServer();
      test = await testService(stage, {
        DBDEPOT_SMTP_URL: mails.url,
        DBDEPOT_MAIL_FROM: "depot@vendor.example",
        DBDEPOT_OPERATOR_MAIL: "sales@vendor.example",
      });
      // The command uses the real time, so nothing may be dated later than that.
      test.clock.advance("-1 days");
      robot = await robotOf(test);
      acme = await test.operator.customer("Acme");
      for (const base of FAMILIES) await test.operator.addDatabase(`${base}_v1`);
      await test.operator.publish("vpn_ip_v1");
    });
    afterAll(async () => {
      await test.dispose();
      await mails[Symbol.asyncDispose]();
    });

    async function ask(base: string): Promise<string> {
      const { organizationId } = acme;
      const wanted = { organizationId, base, person, message: "Please" };
      return (await createRequest(test.operator.operation(), wanted)).request.id;
    }

    async function mailTo(address: string): Promise<string> {
      const [mail = ""] = mails.mails.splice(0);
      expect(mail).toContain(`To: ${address}`);
      return mail;
    }

    it("grants a request with immediate effect, and tells the person who asked", async () => {
      const id = await ask("vpn_ip");
      expect(await robot.request("GET", `/requests/${id}`)).toMatchObject({ state: "pending", standing: "unlicensed" });
      const terms = { redistribution: "internal", expires: "2999-01-01", reply: "Have fun" };
      const granted = await robot.request<DecidedRequest>("POST", `/requests/${id}/grant`, terms);
      expect(granted).toMatchObject({ id, state: "granted", reply: "Have fun", mailed: true, standing: "licensed" });
      expect(granted.licence_expires).toBe("2999-01-01T00:00:00.000Z");
      expect((await acme.download("vpn_ip_v1", "mmdb")).status).toBe(302);
      const mail = await mailTo(person.email);
      expect(mail).toContain("Reply-To: sales@vendor.example");
      expect(mail).toContain("Subject: Your request for The family vpn_ip was granted");
      expect(mail.replaceAll("\r\n", " ")).toContain("and ends on 2999-01-01 (UTC).");
      expect(mail).toContain("Have fun");
      expect(mail).toContain(`${test.service.apiUrl}/console/databases/vpn_ip`);
    });

    it("declines a request with a reason, which the person gets", async () => {
      const id = await ask("tor_ip");
      const declined = await robot.request<DecidedRequest>("POST", `/requests/${id}/decline`, { reason: "Not yet" });
      expect(declined).toMatchObject({ state: "declined", reply: "Not yet", mailed: true, standing: "unlicensed" });
      const mail = await mailTo(person.email);
      expect(mail).toContain("Subject: Your request for The family tor_ip was declined");
      expect(mail).toContain("Not yet");
      expectError(await robot.post(`/requests/${id}/decline`, { reason: "No" }), 409, "CONFLICT", "already declined");
      expectError(await robot.post(`/requests/${id}/grant`, {}), 400, "INVALID_REQUEST", "redistribution");
    });

    it("tells the person about a licence that was granted without the inbox", async () => {
      const id = await ask("bogon_ip");
      await robot.request("POST", "/licences", { org: "Acme", base: "bogon_ip", redistribution: "internal" });
      expect(await mailTo(person.email)).toContain("Your request for The family bogon_ip was granted");
      const { requests } = await robot.request<RequestList>("GET", "/requests?org=Acme&state=granted");
      expect(requests.map((request) => request.id)).toContain(id);
    });

    it("lists pending requests first in pages, like the command, which decides them too", async () => {
      const pending = await ask("proxy_ip");
      const pages = await robot.all<OperatorRequest>("/requests?limit=1", "requests");
      expect(pages).toHaveLength(4);
      const requests = pages.flat();
      expect(Value.Check(RequestList, { requests })).toBe(true);
      expect(requests.map(({ base }) => base)).toEqual(["proxy_ip", "bogon_ip", "tor_ip", "vpn_ip"]);
      expect(requests).toEqual(await command(test, "requests", "list", "Acme"));
      const metric = test.service.services.metrics.registry.getSingleMetric("dbdepot_access_requests_pending");
      expect((await metric?.get())?.values).toMatchObject([{ value: 1 }]);
      const declined = await command<DecidedRequest>(test, "requests", "decline", pending, "--reason", "No");
      expect(declined).toMatchObject({ id: pending, state: "declined", reply: "No", mailed: false });
      const again = await ask("proxy_ip");
      const granted = await command(test, "requests", "grant", again, "--redistribution", "evaluation");
      expect(granted).toMatchObject({ state: "granted", standing: "licensed" });
      expect(await command(test, "requests", "list", "--state", "pending")).toEqual([]);
      expectError(await robot.get("/requests?cursor=bm9wZQ"), 400, "INVALID_REQUEST", "invalid cursor");
    });
  });
}
