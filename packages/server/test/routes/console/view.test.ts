import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { updateOrganization } from "../../../src/domain/organizations/organizations.ts";
import { type Person, personOf } from "./person.ts";

for (const stage of eitherStage()) {
  describe(`/api/console/view on ${stage.name}`, () => {
    let test: TestService;
    let operator: Person;
    let organizationId: string;
    beforeAll(async () => {
      test = await testService(stage);
      ({ organizationId } = await test.operator.customer("Acme"));
      await test.operator.addDatabase("vpn_ip_v1");
      await test.operator.grant("Acme", "vpn_ip");
      await test.operator.publish("vpn_ip_v1");
      operator = await personOf(test, "olivia@example.net", "operator");
    });
    afterAll(() => test.dispose());

    const view = (organization = "Acme") => operator.post("/api/console/view", { organization });
    const leave = () => operator.send("DELETE", "/api/console/view");
    const statusOf = async (path: string) => (await operator.get(path)).status;
    const actions = async () => {
      const { audit } = test.service.services.store;
      const entries = await audit.list({ subjects: [organizationId], action: "session", limit: 9 });
      return entries.map(({ actor, action }) => `${actor} ${action}`);
    };

    it("shows an operator what the organization's admins see, until they leave", async () => {
      const { json } = await view();
      expect(json.viewing_as).toEqual({ id: organizationId, name: "Acme" });
      expect(json.account).toMatchObject({
        email: "olivia@example.net",
        role: "admin",
        organization: { name: "Acme" },
      });
      const { json: list } = await operator.get("/api/v2/database/list");
      expect(list.databases).toMatchObject([{ base: "vpn_ip", standing: "licensed" }]);
      expect((await operator.get("/api/v1/iam/apikeys")).json.keys).toMatchObject([{ name: "Acme's key" }]);
      expect(await statusOf("/api/operator/organizations")).toBe(401);

      expect((await leave()).json).toMatchObject({
        viewing_as: null,
        account: { role: "operator", organization: null },
      });
      expect(await statusOf("/api/operator/organizations")).toBe(200);
      expect(await statusOf("/api/v1/iam/apikeys")).toBe(401);
      expect((await leave()).status).toBe(200);
      expect(await actions()).toEqual([
        "account:olivia@example.net session.view_left",
        "account:olivia@example.net session.viewed_as",
      ]);
    });

    it("refuses every change and download, and records no attempt", async () => {
      await view();
      for (const [method, path, body] of [
        ["POST", "/api/v1/iam/apikeys", { name: "ci" }],
        ["POST", "/api/v2/webhooks", { url: "https://hooks.example.com/" }],
        ["POST", "/api/console/accounts", { email: "eve@example.com", role: "admin" }],
        ["POST", "/api/console/access-requests", { base: "vpn_ip" }],
        ["PUT", "/api/console/password", { current: "a", password: "correct horse battery staple" }],
        ["GET", "/api/v2/database/download?id=vpn_ip_v1&format=mmdb", undefined],
      ] as const) {
        expectRefusal(await operator.send(method, path, { body }), 403, "READ_ONLY_VIEW");
      }
      const { store } = test.service.services;
      expect(await store.attempts.list({ organizationId, limit: 9 })).toEqual([]);
      expect((await store.keys.list({ organizationId })).map(({ name }) => name)).toEqual(["Acme's key"]);
    });

    it("ends when the organization is archived, and cannot begin then", async () => {
      await view();
      await updateOrganization(test.operator.operation(), "Acme", { isArchived: true });
      expect((await operator.get("/api/console/session")).json).toMatchObject({ viewing_as: null });
      expect(await statusOf("/api/operator/organizations")).toBe(200);
      expect((await view()).json).toMatchObject({ rc: "CONFLICT" });
      expect((await view("Nobody")).json).toMatchObject({ rc: "NOT_FOUND" });
    });

    it("ends with the session, even if the operator forgets to leave", async () => {
      await updateOrganization(test.operator.operation(), "Acme", { isArchived: false });
      await view();
      expect((await operator.send("DELETE", "/api/console/session")).status).toBe(204);
      await operator.signIn();
      expect((await operator.get("/api/console/session")).json).toMatchObject({ viewing_as: null });
    });
  });
}
