import { ChangedKey } from "@dbdepot/contract/apikeys";
import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectRefusal } from "../../customer.ts";
import { stages } from "../../stages.ts";
import { type TestService, testService } from "../../test-service.ts";
import { type Admin, newAdmin } from "./admin.ts";

for (const stage of stages()) {
  describe(`POST /api/v1/iam/apikeys/{id}/revoke on ${stage.name}`, () => {
    let test: TestService;
    let admin: Admin;

    beforeAll(async () => {
      test = await testService(stage);
      admin = await newAdmin(test, "Acme");
    });
    afterAll(() => test.dispose());

    const created = () => admin.create({ name: "ci", allowed_scopes: ["db.download"] });

    it("the key fails at once, and stays listed", async () => {
      const before = await created();
      const owner = admin.with(before);
      expect((await owner.list()).status).toBe(200);
      const reply = await admin.revoke(before.json.id);
      expect(reply.status).toBe(200);
      expect(Value.Check(ChangedKey, reply.json)).toBe(true);
      expect(reply.json).toMatchObject({ rc: "SUCCESS", id: before.json.id, revoked: test.clock.now().toISOString() });
      expect(reply.text).not.toContain(before.json.key);
      expectRefusal(await owner.list(), 401, "UNAUTHORIZED");
      expect((await admin.keys())[0]).toMatchObject({ id: before.json.id, revoked: reply.json.revoked });
    });

    it("ends the old secret of an overlap too", async () => {
      const before = await created();
      const after = await admin.rotate(before.json.id, { overlap_seconds: 600 });
      await admin.revoke(before.json.id);
      for (const reply of [before, after]) expectRefusal(await admin.with(reply).list(), 401, "UNAUTHORIZED");
    });

    it("once more: 200, and nothing changes", async () => {
      const { id } = (await created()).json;
      const first = await admin.revoke(id);
      test.clock.advance("5 seconds");
      const second = await admin.revoke(id);
      expect([second.status, second.json]).toEqual([200, first.json]);
      const entries = await test.service.parts.store.audit.list({ subject: id, limit: 10 });
      expect(entries.map(({ action }) => action)).toEqual(["key.revoked", "key.created"]);
    });

    it("needs no body; an unknown field is 400 INVALID_REQUEST and revokes nothing", async () => {
      const { id } = (await created()).json;
      for (const body of [{ when: "later" }, "[]", "{"]) {
        expectRefusal(await admin.revoke(id, body), 400, "INVALID_REQUEST");
      }
      expect((await admin.keys())[0].revoked).toBeNull();
      for (const body of [undefined, "", {}, "null"]) expect((await admin.revoke(id, body)).status).toBe(200);
    });

    it("404 NOT_FOUND: another organization's key and an unknown one, alike; and neither is touched", async () => {
      const other = await newAdmin(test, `Other ${stage.name}`);
      for (const id of [other.keyId, "019a8f3e-7c52-7d10-9b1e-2f6a4c8d0e11", "x"]) {
        expectRefusal(await admin.revoke(id), 404, "NOT_FOUND");
      }
      expect((await other.send("GET", "")).status).toBe(200);
    });

    it("a key can revoke itself; the last one locks its organization out of this", async () => {
      const last = await newAdmin(test, `Alone ${stage.name}`);
      expect((await last.revoke(last.keyId)).status).toBe(200);
      expectRefusal(await last.send("GET", ""), 401, "UNAUTHORIZED");
    });
  });
}
