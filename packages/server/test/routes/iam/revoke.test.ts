import { ChangedKey } from "@dbdepot/contract/iam/keys";
import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { type Admin, newAdmin } from "./admin.ts";

for (const stage of eitherStage()) {
  describe(`POST /api/v1/iam/apikeys/{id}/revoke on ${stage.name}`, () => {
    let test: TestService;
    let admin: Admin;

    beforeAll(async () => {
      test = await testService(stage);
      admin = await newAdmin(test, "Acme");
    });
    afterAll(() => test.dispose());

    const created = () => admin.create({ name: "ci", allowed_scopes: ["db.download"] });

    it("disables the key immediately and keeps it in the list", async () => {
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

    it("disables both secrets of a key during a rotation overlap", async () => {
      const before = await created();
      const after = await admin.rotate(before.json.id, { overlap_seconds: 600 });
      await admin.revoke(before.json.id);
      for (const reply of [before, after]) expectRefusal(await admin.with(reply).list(), 401, "UNAUTHORIZED");
    });

    it("returns 200 and changes nothing if the key is already revoked", async () => {
      const { id } = (await created()).json;
      const first = await admin.revoke(id);
      test.clock.advance("5 seconds");
      const second = await admin.revoke(id);
      expect([second.status, second.json]).toEqual([200, first.json]);
      const entries = await test.service.services.store.audit.list({ subjects: [id], limit: 10 });
      expect(entries.map(({ action }) => action)).toEqual(["key.revoked", "key.created"]);
    });

    it("accepts an empty body and returns 400 INVALID_REQUEST for an invalid one", async () => {
      const { id } = (await created()).json;
      for (const body of [{ when: "later" }, "[]", "{"]) {
        expectRefusal(await admin.revoke(id, body), 400, "INVALID_REQUEST");
      }
      expect((await admin.keys())[0].revoked).toBeNull();
      for (const body of [undefined, "", {}, "null"]) expect((await admin.revoke(id, body)).status).toBe(200);
    });

    it("returns 404 NOT_FOUND for unknown keys and keys of other organizations, and leaves them unchanged", async () => {
      const other = await newAdmin(test, `Other ${stage.name}`);
      for (const id of [other.keyId, "019a8f3e-7c52-7d10-9b1e-2f6a4c8d0e11", "x"]) {
        expectRefusal(await admin.revoke(id), 404, "NOT_FOUND");
      }
      expect((await other.send("GET", "")).status).toBe(200);
    });

    it("lets a key revoke itself, even if it is the last admin key of its organization", async () => {
      const last = await newAdmin(test, `Alone ${stage.name}`);
      expect((await last.revoke(last.keyId)).status).toBe(200);
      expectRefusal(await last.send("GET", ""), 401, "UNAUTHORIZED");
    });
  });
}
