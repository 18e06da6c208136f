import { Identity, OwnOrganization } from "@dbdepot/contract/iam/keys";
import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Customer, call, expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { accountIdOf } from "../../../src/domain/access/account-id.ts";
import { createKey, rotateKey } from "../../../src/domain/keys/keys.ts";

for (const stage of eitherStage()) {
  describe(`GET /api/v1/iam/identity on ${stage.name}`, () => {
    let test: TestService;
    let acme: Customer;
    let url: string;

    beforeAll(async () => {
      test = await testService(stage);
      acme = await test.operator.customer("Acme");
      url = `${test.service.apiUrl}/api/v1/iam/identity`;
    });
    afterAll(() => test.dispose());

    const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

    it("describes the key, however it is sent, and leaves no history", async () => {
      const replies = [
        await call(url, bearer(acme.key)),
        await call(url, { headers: { "x-api-key": acme.key } }),
        await call(`${url}?apikey=${acme.key}`),
      ];
      for (const { status, json, headers } of replies) {
        expect(status).toBe(200);
        expect(headers.get("cache-control")).toBe("no-store");
        expect(Value.Check(Identity, json)).toBe(true);
        expect(json).toEqual({
          rc: "SUCCESS",
          org: { id: acme.organizationId, name: "Acme" },
          org_name: "Acme",
          service_name: "dbdepot",
          account_id: accountIdOf(acme.organizationId),
          apikey_id: acme.keyId,
          name: "Acme's key",
          key_prefix: acme.key.split("_").slice(0, 2).join("_"),
          allowed_cidrs: [],
          scopes: ["db.download"],
          expires: null,
        });
      }
      expect(await acme.history()).toEqual([]);
    });

    it("accepts keys without any scope and operator keys", async () => {
      const terms = { name: "idle", scopes: [], cidrs: [], expires: null };
      const idle = await createKey(test.operator.operation(), { ...terms, organizationId: acme.organizationId });
      expect((await call(url, bearer(idle.plain.reveal()))).json).toMatchObject({ org_name: "Acme", scopes: [] });
      const operator = { ...terms, organizationId: null, scopes: ["operator.read" as const] };
      const { plain } = await createKey(test.operator.operation(), operator);
      const { json } = await call(url, bearer(plain.reveal()));
      expect(json).toMatchObject({ org: null, org_name: null, account_id: null, scopes: ["operator.read"] });
    });

    it("shows the end of the overlap to the old secret of a rotated key", async () => {
      const other = await test.operator.customer("Beta");
      await rotateKey(test.operator.operation(), other.keyId, 3600);
      await test.operator.settle();
      const end = new Date(test.clock.now().getTime() + 3_600_000).toISOString();
      expect((await call(url, bearer(other.key))).json.expires).toBe(end);
    });

    it("describes the organization to keys with the scope org.read", async () => {
      const org = url.replace("identity", "org");
      const reader = await test.operator.colleague(acme, { scopes: ["org.read"] });
      const reply = await reader.get("/api/v1/iam/org");
      expect(Value.Check(OwnOrganization, reply.json)).toBe(true);
      const { created } = (await test.service.services.store.organizations.byId(acme.organizationId)) ?? {};
      const shown = { id: acme.organizationId, name: "Acme", created: created?.toISOString() };
      expect(reply.json).toEqual({ rc: "SUCCESS", org: shown });
      expectRefusal(await call(org, bearer(acme.key)), 401, "UNAUTHORIZED");
    });

    it("refuses missing, unknown and v1 keys like every other endpoint", async () => {
      expectRefusal(await call(url), 401, "UNAUTHORIZED");
      expectRefusal(await call(url, bearer(`${acme.key}x`)), 401, "UNAUTHORIZED");
      expectRefusal(await call(`${url}?apikey=019a8c11-04d2-7a3f-8e64-5b7f20c9d1aa`), 401, "UNAUTHORIZED");
    });
  });
}
