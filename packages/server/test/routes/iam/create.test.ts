import { CreatedKey } from "@dbdepot/contract/iam/keys";
import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { stages } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { DAY_MS } from "../../../src/platform/primitives/dates.ts";
import { type Admin, adminOf, newAdmin } from "./admin.ts";

for (const stage of stages()) {
  describe(`POST /api/v1/iam/apikeys on ${stage.name} (interface 4.3)`, () => {
    let test: TestService;
    let admin: Admin;

    beforeAll(async () => {
      test = await testService(stage);
      admin = await newAdmin(test, "Acme");
      await test.operator.addDatabase("vpn_ip_v1");
    });
    afterAll(() => test.dispose());

    it("needs only a name and returns every field of the created key (interface 2.7)", async () => {
      const reply = await admin.create({ name: "ci" });
      expect(reply.status).toBe(200);
      expect(Value.Check(CreatedKey, reply.json)).toBe(true);
      const { id, key, key_prefix, ...rest } = reply.json;
      expect(rest).toEqual({ rc: "SUCCESS", name: "ci", allowed_cidrs: [], allowed_scopes: [] });
      expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      expect(key).toMatch(/^dbd_[0-9A-Za-z]{8}_[0-9A-Za-z]{38,}$/);
      expect(key.startsWith(`${key_prefix}_`)).toBe(true);
      expect(reply.headers.get("cache-control")).toBe("no-store");
    });

    it("creates keys without scopes by default, which are refused until a scope is added", async () => {
      const created = await admin.create({ name: "nothing yet" });
      const owner = admin.with(created);
      expectRefusal(await owner.list(), 401, "UNAUTHORIZED");
      expectRefusal(await owner.send("GET", ""), 401, "UNAUTHORIZED");
      await admin.update(created.json.id, { allowed_scopes: ["db.download"] });
      expect((await owner.list()).status).toBe(200);
    });

    it("creates a key that works immediately, within its scopes, CIDRs and expiry date", async () => {
      const expires = new Date(test.clock.now().getTime() + DAY_MS).toISOString();
      const request = { name: "full", allowed_scopes: ["db.download"], allowed_cidrs: ["127.0.0.0/8"], expires };
      const created = await admin.create(request);
      expect(created.json).toMatchObject({ allowed_scopes: ["db.download"], allowed_cidrs: ["127.0.0.0/8"] });
      const owner = admin.with(created);
      expect((await owner.download("nope_v1", "mmdb")).status).toBe(404);
      expect((await owner.history())[0]).toMatchObject({ apikey_id: created.json.id });
      test.clock.advance("1 days");
      expectRefusal(await owner.list(), 401, "UNAUTHORIZED");
      test.clock.advance("-1 days");
      const elsewhere = await admin.create({ ...request, allowed_cidrs: ["192.0.2.0/24"] });
      expectRefusal(await admin.with(elsewhere).list(), 401, "UNAUTHORIZED");
    });

    it("lets a key grant customer scopes it does not have, including apikeys.manage", async () => {
      const created = await admin.create({ name: "second admin", allowed_scopes: ["apikeys.manage", "db.download"] });
      const second = admin.with(created);
      expect((await second.list()).status).toBe(200);
      expect((await second.create({ name: "third" })).status).toBe(200);
    });

    it("records the creation and the calling key in the audit log", async () => {
      const { id } = (await admin.create({ name: "audited" })).json;
      const [entry] = await test.service.services.store.audit.list({ subjects: [id], limit: 10 });
      const prefix = admin.key.slice(0, "dbd_12345678".length);
      expect(entry).toMatchObject({ actor: `key:${prefix}`, action: "key.created", after: { name: "audited" } });
    });

    it("returns the secret even if refreshing the register fails", async () => {
      const { register } = test.service.services;
      const { refresh } = register;
      register.refresh = () => Promise.reject(new Error("out of reach"));
      const created = await admin.create({ name: "late", allowed_scopes: ["db.download"] });
      register.refresh = refresh;
      expect(created.status).toBe(200);
      expect((await admin.with(created).list()).status).toBe(200);
    });

    it("returns 401 UNAUTHORIZED for missing, invalid and v1 keys, and for keys without apikeys.manage (interface 5.3)", async () => {
      const post = (headers: Record<string, string>) =>
        call(`${admin.apiUrl}/api/v1/iam/apikeys`, {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body: '{"name":"x"}',
        });
      const scopeless = await adminOf(test, admin, { scopes: ["db.download"] });
      const { uuid } = await test.operator.legacyCustomer(["vpn_ip_v1"], "Acme");
      const before = (await admin.keys()).length;
      expectRefusal(await post({}), 401, "UNAUTHORIZED");
      for (const key of ["", "nonsense", `${admin.key}x`, scopeless.key, uuid]) {
        expectRefusal(await post({ authorization: `Bearer ${key}` }), 401, "UNAUTHORIZED");
      }
      const reply = await post({ authorization: `Bearer ${scopeless.key}` });
      expect(reply.headers.get("www-authenticate")).toContain('scope="apikeys.manage"');
      expect(await admin.keys()).toHaveLength(before);
    });

    it("returns 401 UNAUTHORIZED for a key in X-Api-Key or in the query string (interface 5.3)", async () => {
      const url = `${admin.apiUrl}/api/v1/iam/apikeys`;
      const post = { method: "POST", body: '{"name":"x"}' };
      const content = { "content-type": "application/json" };
      expectRefusal(await call(url, { ...post, headers: { ...content, "x-api-key": admin.key } }), 401, "UNAUTHORIZED");
      expectRefusal(await call(`${url}?apikey=${admin.key}`, { ...post, headers: content }), 401, "UNAUTHORIZED");
      expectRefusal(await call(url, { headers: { "x-api-key": admin.key } }), 401, "UNAUTHORIZED");
    });

    it("checks the scope before it parses the body", async () => {
      const scopeless = adminOf(test, admin, { scopes: [] });
      expectRefusal(await (await scopeless).create("{"), 401, "UNAUTHORIZED");
    });

    it("returns 405 with an Allow header for other methods", async () => {
      const reply = await admin.send("DELETE", "");
      expectRefusal(reply, 405, "METHOD_NOT_ALLOWED");
      expect(reply.headers.get("allow")?.split(", ").sort()).toEqual(["GET", "HEAD", "POST"]);
    });
  });
}
