import { CreatedKey } from "@dbdepot/contract/apikeys";
import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, expectRefusal } from "../../customer.ts";
import { stages } from "../../stages.ts";
import { type TestService, testService } from "../../test-service.ts";
import { type Admin, adminOf, newAdmin } from "./admin.ts";

const DAY_MS = 86_400_000;

for (const stage of stages()) {
  describe(`4.3 POST /api/v1/iam/apikeys on ${stage.name}`, () => {
    let test: TestService;
    let admin: Admin;

    beforeAll(async () => {
      test = await testService(stage);
      admin = await newAdmin(test, "Acme");
      await test.operator.addDatabase("vpn_ip_v1");
    });
    afterAll(() => test.dispose());

    it("2.7 200 with rc, id, name, key, key_prefix, allowed_cidrs and allowed_scopes, from a name alone", async () => {
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

    it("keys are default-deny: without scopes it can do nothing until one is added", async () => {
      const created = await admin.create({ name: "nothing yet" });
      const owner = admin.with(created);
      expectRefusal(await owner.list(), 401, "UNAUTHORIZED");
      expectRefusal(await owner.send("GET", ""), 401, "UNAUTHORIZED");
      await admin.update(created.json.id, { allowed_scopes: ["db.download"] });
      expect((await owner.list()).status).toBe(200);
    });

    it("the key works at once, in the caller's organization, within its scopes, CIDRs and end", async () => {
      const expires = new Date(test.clock.now().getTime() + DAY_MS).toISOString();
      const asked = { name: "full", allowed_scopes: ["db.download"], allowed_cidrs: ["127.0.0.0/8"], expires };
      const created = await admin.create(asked);
      expect(created.json).toMatchObject({ allowed_scopes: ["db.download"], allowed_cidrs: ["127.0.0.0/8"] });
      const owner = admin.with(created);
      expect((await owner.download("nope_v1", "mmdb")).status).toBe(404);
      expect((await owner.history())[0]).toMatchObject({ apikey_id: created.json.id });
      test.clock.advance("1 days");
      expectRefusal(await owner.list(), 401, "UNAUTHORIZED");
      test.clock.advance("-1 days");
      const elsewhere = await admin.create({ ...asked, allowed_cidrs: ["192.0.2.0/24"] });
      expectRefusal(await admin.with(elsewhere).list(), 401, "UNAUTHORIZED");
    });

    it("a key may grant a customer's scope that it has not itself, and one can create the next", async () => {
      const created = await admin.create({ name: "second admin", allowed_scopes: ["apikeys.manage", "db.download"] });
      const second = admin.with(created);
      expect((await second.list()).status).toBe(200);
      expect((await second.create({ name: "third" })).status).toBe(200);
    });

    it("the creation is in the audit, by the key that made it", async () => {
      const { id } = (await admin.create({ name: "audited" })).json;
      const [entry] = await test.service.parts.store.audit.list({ subject: id, limit: 10 });
      const prefix = admin.key.slice(0, "dbd_12345678".length);
      expect(entry).toMatchObject({ actor: `key:${prefix}`, action: "key.created", after: { name: "audited" } });
    });

    it("the secret is handed over although the register cannot be brought up to date just then", async () => {
      const { register } = test.service.parts;
      const { refresh } = register;
      register.refresh = () => Promise.reject(new Error("out of reach"));
      const created = await admin.create({ name: "late", allowed_scopes: ["db.download"] });
      register.refresh = refresh;
      expect(created.status).toBe(200);
      expect((await admin.with(created).list()).status).toBe(200);
    });

    it("5.3 401 UNAUTHORIZED: no key, a wrong one, one without apikeys.manage, one of nobody's", async () => {
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

    it("5.3 bearer only: the same key in X-Api-Key or in the address is 401", async () => {
      const url = `${admin.apiUrl}/api/v1/iam/apikeys`;
      const post = { method: "POST", body: '{"name":"x"}' };
      const content = { "content-type": "application/json" };
      expectRefusal(await call(url, { ...post, headers: { ...content, "x-api-key": admin.key } }), 401, "UNAUTHORIZED");
      expectRefusal(await call(`${url}?apikey=${admin.key}`, { ...post, headers: content }), 401, "UNAUTHORIZED");
      expectRefusal(await call(url, { headers: { "x-api-key": admin.key } }), 401, "UNAUTHORIZED");
    });

    it("401 comes before the body is looked at", async () => {
      const stranger = adminOf(test, admin, { scopes: [] });
      expectRefusal(await (await stranger).create("{"), 401, "UNAUTHORIZED");
    });

    it("takes no other method: 405 with Allow", async () => {
      const reply = await admin.send("DELETE", "");
      expectRefusal(reply, 405, "METHOD_NOT_ALLOWED");
      expect(reply.headers.get("allow")?.split(", ").sort()).toEqual(["GET", "HEAD", "POST"]);
    });
  });
}
