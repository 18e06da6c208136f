import { ROLES, type Role } from "@dbdepot/contract/console/accounts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Customer, call, expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { Person, personOf } from "./person.ts";

const NO_ID = "0192aaaa-0000-7000-8000-000000000000";

for (const stage of eitherStage()) {
  describe(`access with a session on ${stage.name}`, () => {
    let test: TestService;
    let acme: Customer;
    const people = {} as Record<Role, Person & { id: string }>;
    beforeAll(async () => {
      test = await testService(stage);
      const { operator } = test;
      acme = await operator.customer("Acme", { scopes: ["db.download", "apikeys.manage"] });
      await operator.addDatabase("vpn_ip_v1");
      await operator.publish("vpn_ip_v1");
      await operator.grant("Acme", "vpn_ip");
      for (const role of ROLES) {
        const organization = role.startsWith("operator") ? undefined : "Acme";
        people[role] = await personOf(test, `${role}@example.com`, role, organization);
      }
    });
    afterAll(() => test.dispose());

    it("gets the same 401 as without a key if the session is unknown or malformed", async () => {
      const anonymous = await new Person(test.service.apiUrl, "").get("/api/v2/database/list");
      expectRefusal(anonymous, 401, "UNAUTHORIZED");
      const challenge = anonymous.headers.get("www-authenticate");
      for (const cookie of [`dbdepot_session=${"a".repeat(43)}`, "dbdepot_session=x", "dbdepot_session", "other=1"]) {
        const reply = await new Person(test.service.apiUrl, "", cookie).get("/api/v2/database/list");
        expectRefusal(reply, 401, "UNAUTHORIZED");
        expect(reply.headers.get("www-authenticate")).toBe(challenge);
      }
    });

    it("is not considered if a key was sent, even where that kind of key is not accepted", async () => {
      const { cookie = "" } = people.admin;
      for (const headers of [{ authorization: "Bearer wrong" }, { "x-api-key": acme.key }, { "x-api-key": "" }]) {
        const reply = await call(`${test.service.apiUrl}/api/v1/iam/apikeys`, { headers: { cookie, ...headers } });
        expectRefusal(reply, 401, "UNAUTHORIZED");
      }
      const inUrl = await people.admin.get(`/api/v1/iam/apikeys?apikey=${acme.key}`);
      expectRefusal(inUrl, 401, "UNAUTHORIZED");
      const withKey = { cookie, authorization: `Bearer ${acme.key}` };
      expectRefusal(
        await call(`${test.service.apiUrl}/api/console/sessions`, { headers: withKey }),
        401,
        "UNAUTHORIZED",
      );
      const own = await call(`${test.service.apiUrl}/api/v2/database/list`, { headers: withKey });
      expect(own.status).toBe(200);
    });

    it("downloads like a key of the organization, with history rows that have no key", async () => {
      const { viewer } = people;
      const reply = await viewer.get("/api/v2/database/download?id=vpn_ip_v1&format=mmdb");
      expect(reply.status).toBe(302);
      const { downloads } = (await viewer.get("/api/v2/database/downloads?limit=1")).json;
      expect(downloads[0]).toMatchObject({ outcome: "ok", apikey_id: null, dataset_id: "vpn_ip_v1" });
      expect((await acme.history("?limit=1"))[0]).toEqual(downloads[0]);
      const { attempts } = (await people.operator.get("/api/operator/history?limit=1")).json;
      expect(attempts[0]).toMatchObject({ organization_id: acme.organizationId, apikey_id: null });
    });

    it("manages keys as the account, which the audit log names", async () => {
      const { admin, operator } = people;
      const body = { name: "made in the console", allowed_scopes: ["db.download"] };
      const created = await admin.post("/api/v1/iam/apikeys", body);
      expect(created.status).toBe(200);
      const key = created.json.key;
      const list = await call(`${test.service.apiUrl}/api/v2/database/list`, { headers: { "x-api-key": key } });
      expect(list.status).toBe(200);
      const { entries } = (await operator.get(`/api/operator/audit?subject=${created.json.id}`)).json;
      expect(entries[0]).toMatchObject({ action: "key.created", actor: "account:admin@example.com" });
      expect((await admin.post(`/api/v1/iam/apikeys/${created.json.id}/rotate`)).status).toBe(200);
      expect((await admin.post(`/api/v1/iam/apikeys/${created.json.id}/revoke`)).status).toBe(200);
    });

    it("creates operator keys only with scopes of the role", async () => {
      const made = await people.operator.post("/api/operator/keys", { name: "CI", allowed_scopes: ["builds.publish"] });
      expect(made.status).toBe(200);
      const { entries } = (await people.operator.get(`/api/operator/audit?subject=${made.json.id}`)).json;
      expect(entries[0].actor).toBe("account:operator@example.com");
    });

    describe("changes from pages of other sites", () => {
      const change = (person: Person, headers: Record<string, string>) =>
        call(`${test.service.apiUrl}/api/v1/iam/apikeys/${NO_ID}/revoke`, {
          method: "POST",
          headers: { cookie: person.cookie ?? "", ...headers },
        });

      it("are refused", async () => {
        const { origin, host } = new URL(test.service.apiUrl);
        for (const headers of [
          {},
          { "sec-fetch-site": "cross-site" },
          { "sec-fetch-site": "same-site" },
          { "sec-fetch-site": "cross-site", origin },
          { origin: "https://evil.example" },
          { origin: `${origin}.evil.example` },
          { origin: `https://${host}` },
          { origin: "null" },
        ]) {
          expectRefusal(await change(people.admin, headers), 403, "CROSS_ORIGIN");
          const signOut = await call(`${test.service.apiUrl}/api/console/session`, {
            method: "DELETE",
            headers: { cookie: people.admin.cookie ?? "", ...headers },
          });
          expectRefusal(signOut, 403, "CROSS_ORIGIN");
        }
        expect(await people.admin.isSignedIn()).toBe(true);
      });

      it("are distinguished from the console's own by Sec-Fetch-Site, or by Origin in older browsers", async () => {
        const { origin } = new URL(test.service.apiUrl);
        for (const headers of [{ "sec-fetch-site": "same-origin" }, { origin }]) {
          expectRefusal(await change(people.admin, headers), 404, "NOT_FOUND");
        }
      });

      it("may be reads", async () => {
        const headers = { cookie: people.admin.cookie ?? "", "sec-fetch-site": "cross-site" };
        const reply = await call(`${test.service.apiUrl}/api/v2/database/list`, { headers });
        expect(reply.status).toBe(200);
      });
    });
  });
}
