import { ChangedKey, CreatedKey } from "@dbdepot/contract/iam/keys";
import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { type Admin, newAdmin } from "./admin.ts";

for (const stage of eitherStage()) {
  describe(`POST /api/v1/iam/apikeys/{id}/rotate on ${stage.name}`, () => {
    let test: TestService;
    let admin: Admin;

    beforeAll(async () => {
      test = await testService(stage);
      admin = await newAdmin(test, "Acme");
    });
    afterAll(() => test.dispose());

    const created = () => admin.create({ name: "ci", allowed_scopes: ["db.download"] });

    it("replaces the secret and disables the old one immediately by default", async () => {
      const before = await created();
      const after = await admin.rotate(before.json.id);
      expect(after.status).toBe(200);
      expect(Value.Check(CreatedKey, after.json)).toBe(true);
      expect(after.headers.get("cache-control")).toBe("no-store");
      const { key, key_prefix, ...same } = before.json;
      expect(after.json).toMatchObject(same);
      expect(after.json.key).not.toBe(key);
      expect(after.json.key_prefix).not.toBe(key_prefix);
      expect((await admin.with(after).list()).status).toBe(200);
      expectRefusal(await admin.with(before).list(), 401, "UNAUTHORIZED");
      expect((await admin.keys())[0].key_prefix).toBe(after.json.key_prefix);
    });

    it("keeps the old secret valid for overlap_seconds", async () => {
      const before = await created();
      const after = await admin.rotate(before.json.id, { overlap_seconds: 60 });
      for (const reply of [before, after]) expect((await admin.with(reply).list()).status).toBe(200);
      test.clock.advance("59 seconds");
      expect((await admin.with(before).list()).status).toBe(200);
      test.clock.advance("1 seconds");
      expectRefusal(await admin.with(before).list(), 401, "UNAUTHORIZED");
      expect((await admin.with(after).list()).status).toBe(200);
    });

    it("shows until when the old secret works, and ends it on request", async () => {
      const before = await created();
      const { id } = before.json;
      const until = async () => (await admin.keys()).find((key) => key.id === id).old_secret_until;
      expect(await until()).toBeNull();
      const after = await admin.rotate(id, { overlap_seconds: 60 });
      expect(await until()).toBe(new Date(test.clock.now().getTime() + 60_000).toISOString());
      const ended = await admin.endOverlap(id);
      expect([ended.status, Value.Check(ChangedKey, ended.json), ended.json.id]).toEqual([200, true, id]);
      expect(await until()).toBeNull();
      expectRefusal(await admin.with(before).list(), 401, "UNAUTHORIZED");
      expect((await admin.with(after).list()).status).toBe(200);
      const [entry] = await test.service.services.store.audit.list({ subjects: [id], limit: 1 });
      expect(entry).toMatchObject({ action: "key.overlap_ended", after: { oldSecretUntil: null } });
      expect((await admin.endOverlap(id)).status).toBe(200);
      expect(await test.service.services.store.audit.list({ subjects: [id], limit: 1 })).toEqual([entry]);
      const other = await newAdmin(test, `Overlap ${stage.name}`);
      expectRefusal(await admin.endOverlap(other.keyId), 404, "NOT_FOUND");
      await admin.rotate(id, { overlap_seconds: 60 });
      const expires = new Date(test.clock.now().getTime() + 30_000).toISOString();
      await admin.update(id, { expires });
      expect(await until()).toBe(expires);
      await admin.revoke(id);
      expect(await until()).toBeNull();
      expectRefusal(await admin.endOverlap(id), 409, "KEY_REVOKED");
    });

    it("returns 400 INVALID_REQUEST for an invalid body and keeps the secret", async () => {
      const before = await created();
      const { id } = before.json;
      for (const overlap_seconds of [-1, 1.5, 604_801, "60", null, [60]]) {
        expectRefusal(await admin.rotate(id, { overlap_seconds }), 400, "INVALID_REQUEST");
      }
      for (const body of ["{", "[]", '"x"', { overlap: 60 }]) {
        expectRefusal(await admin.rotate(id, body), 400, "INVALID_REQUEST");
      }
      expect((await admin.with(before).list()).status).toBe(200);
      expect((await admin.rotate(id, { overlap_seconds: 604_800 })).status).toBe(200);
    });

    it("accepts an empty body, {} and null", async () => {
      const { id } = (await created()).json;
      for (const body of [{}, "null", undefined, ""]) expect((await admin.rotate(id, body)).status).toBe(200);
    });

    it("returns 404 NOT_FOUND for keys of other organizations, unknown keys and malformed ids", async () => {
      const other = await newAdmin(test, `Other ${stage.name}`);
      const ids = [other.keyId, "019a8f3e-7c52-7d10-9b1e-2f6a4c8d0e11", "x", "%00", "x".repeat(300), admin.key];
      for (const id of ids) expectRefusal(await admin.rotate(id), 404, "NOT_FOUND");
      expect((await other.send("GET", "")).status).toBe(200);
      expectRefusal(await admin.rotate((await created()).json.key_prefix), 404, "NOT_FOUND");
    });

    it("returns 409 KEY_REVOKED for a revoked key", async () => {
      const { id } = (await created()).json;
      await admin.revoke(id);
      expectRefusal(await admin.rotate(id), 409, "KEY_REVOKED");
    });

    it("lets a key rotate itself, and accepts its id in upper case", async () => {
      const first = await admin.create({ name: "self", allowed_scopes: ["apikeys.manage"] });
      const self = admin.with(first);
      const next = self.with(await self.rotate(self.keyId.toUpperCase()));
      expectRefusal(await self.send("GET", ""), 401, "UNAUTHORIZED");
      expect((await next.send("GET", "")).status).toBe(200);
    });

    it("records the rotation and the calling key in the audit log", async () => {
      const { id } = (await created()).json;
      await admin.rotate(id);
      const [entry] = await test.service.services.store.audit.list({ subjects: [id], limit: 1 });
      expect(entry).toMatchObject({ actor: `key:${admin.key.slice(0, 12)}`, action: "key.rotated" });
    });
  });
}
