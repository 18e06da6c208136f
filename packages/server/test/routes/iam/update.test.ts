import { ChangedKey } from "@dbdepot/contract/iam/keys";
import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { type Admin, newAdmin } from "./admin.ts";

const END = "2099-01-01T00:00:00.000Z";

for (const stage of eitherStage()) {
  describe(`PATCH /api/v1/iam/apikeys/{id} on ${stage.name}`, () => {
    let test: TestService;
    let admin: Admin;

    beforeAll(async () => {
      test = await testService(stage);
      admin = await newAdmin(test, "Acme");
    });
    afterAll(() => test.dispose());

    const full = { allowed_scopes: ["db.download"], allowed_cidrs: ["127.0.0.0/8"], expires: END };
    const created = () => admin.create({ name: "ci", ...full });

    it("changes only the given fields, with immediate effect", async () => {
      const before = await created();
      const { id } = before.json;
      const owner = admin.with(before);
      expect((await owner.list()).status).toBe(200);

      const renamed = await admin.update(id, { name: " renamed " });
      expect(renamed.status).toBe(200);
      expect(Value.Check(ChangedKey, renamed.json)).toBe(true);
      expect(renamed.json).toMatchObject({ rc: "SUCCESS", id, name: "renamed", ...full });

      expect((await admin.update(id, { allowed_scopes: [] })).json).toMatchObject({ allowed_scopes: [], expires: END });
      expectRefusal(await owner.list(), 401, "UNAUTHORIZED");
      const moved = await admin.update(id, { allowed_scopes: ["db.download"], allowed_cidrs: ["192.0.2.0/24"] });
      expect(moved.json).toMatchObject({ name: "renamed", allowed_cidrs: ["192.0.2.0/24"] });
      expectRefusal(await owner.list(), 401, "UNAUTHORIZED");
      expect((await admin.update(id, { allowed_cidrs: [] })).json.allowed_cidrs).toEqual([]);
      expect((await owner.list()).status).toBe(200);
      expect((await admin.update(id, { expires: null })).json.expires).toBeNull();
      const { rc: _, ...shown } = (await admin.update(id, { name: "last" })).json;
      const { created_by: _by, ...listed } = (await admin.keys()).find((key) => key.id === id);
      expect(listed).toEqual({
        ...shown,
        last_used: null,
        last_used_at: null,
        revoked_at: null,
        old_secret_until: null,
      });
    });

    it("returns 400 INVALID_REQUEST for empty bodies and invalid or unknown fields, and changes nothing", async () => {
      const { id } = (await created()).json;
      const before = await admin.keys();
      const wrong = [
        {},
        "null",
        "[]",
        "{",
        "",
        { name: "" },
        { name: "x".repeat(101) },
        { name: null },
        { name: "new", rc: "SUCCESS" },
        { name: "new", id },
        { name: "new", organization_id: "x" },
        { revoked: null },
        { key: "dbd_" },
        { name: "new", allowed_scopes: ["operator.write"] },
        { name: "new", allowed_scopes: ["unknown"] },
        { name: "new", allowed_scopes: null },
        { name: "new", allowed_cidrs: ["10.0.0.1"] },
        { name: "new", expires: "2001-01-01T00:00:00Z" },
        { name: "new", expires: "never" },
        '{"name":"new","__proto__":{"allowed_scopes":["operator.write"]}}',
      ];
      for (const body of wrong) {
        const reply = await admin.update(id, body);
        expect([body, reply.status, reply.json]).toEqual([body, 400, { rc: "INVALID_REQUEST" }]);
      }
      expect(await admin.keys()).toEqual(before);
    });

    it("returns 413 for a body that is too large and 415 for an unsupported Content-Type", async () => {
      const { id } = (await created()).json;
      expectRefusal(await admin.update(id, `{"name":"x"}${" ".repeat(65_536)}`), 413, "TOO_LARGE");
      const headers = { "content-type": "application/merge-patch+json" };
      const reply = await admin.send("PATCH", `/${id}`, { name: "x" }, headers);
      expectRefusal(reply, 415, "UNSUPPORTED_MEDIA_TYPE");
    });

    it("returns 404 NOT_FOUND for unknown keys and keys of other organizations, and leaves them unchanged", async () => {
      const other = await newAdmin(test, `Other ${stage.name}`);
      for (const id of [other.keyId, "019a8f3e-7c52-7d10-9b1e-2f6a4c8d0e11", "x"]) {
        expectRefusal(await admin.update(id, { name: "mine", allowed_scopes: [] }), 404, "NOT_FOUND");
      }
      expect((await other.keys())[0].name).toBe("admin");
    });

    it("returns 409 KEY_REVOKED for a revoked key", async () => {
      const { id } = (await created()).json;
      await admin.revoke(id);
      expectRefusal(await admin.update(id, { name: "new" }), 409, "KEY_REVOKED");
    });

    it("lets a key remove its own scope", async () => {
      const self = admin.with(await admin.create({ name: "self", allowed_scopes: ["apikeys.manage"] }));
      expect((await self.update(self.keyId, { allowed_scopes: [] })).status).toBe(200);
      expectRefusal(await self.send("GET", ""), 401, "UNAUTHORIZED");
    });

    it("records the old and new values and the calling key in the audit log", async () => {
      const { id } = (await created()).json;
      await admin.update(id, { name: "after" });
      const [entry] = await test.service.services.store.audit.list({ subjects: [id], limit: 1 });
      expect(entry).toMatchObject({
        actor: `key:${admin.key.slice(0, 12)}`,
        action: "key.updated",
        before: { name: "ci" },
        after: { name: "after" },
      });
    });
  });
}
