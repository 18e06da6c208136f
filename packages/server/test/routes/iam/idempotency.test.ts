import { hash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { type Admin, adminOf, newAdmin } from "./admin.ts";

for (const stage of eitherStage()) {
  describe(`Idempotency-Key on ${stage.name}`, () => {
    let test: TestService;
    let admin: Admin;

    beforeAll(async () => {
      test = await testService(stage);
      admin = await newAdmin(test, "Acme");
    });
    afterAll(() => test.dispose());

    const create = (idempotencyKey: string, by = admin, body: unknown = { name: "ci" }) =>
      by.create(body, { "idempotency-key": idempotencyKey });

    it("returns 409 ALREADY_CREATED with the id and without the secret if a creation is repeated", async () => {
      const first = await create("once");
      expect(first.status).toBe(200);
      const before = await admin.keys();
      const second = await create("once");
      expect(second.status).toBe(409);
      expect(second.json).toEqual({ rc: "ALREADY_CREATED", id: first.json.id });
      expect(second.headers.get("cache-control")).toBe("no-store");
      expect(await admin.keys()).toEqual(before);
    });

    it("returns the id of a key whose secret got lost, so it can be rotated or revoked", async () => {
      await create("lost");
      const { id } = (await create("lost")).json;
      expect((await admin.rotate(id)).json.key).toMatch(/^dbd_/);
      expect((await admin.revoke(id)).status).toBe(200);
      expect((await create("lost")).json).toEqual({ rc: "ALREADY_CREATED", id });
    });

    it("ignores the body of a repeated request", async () => {
      const { id } = (await create("same")).json;
      const again = await create("same", admin, { name: "other", allowed_scopes: ["db.download"] });
      expect(again.json).toEqual({ rc: "ALREADY_CREATED", id });
    });

    it("applies to all keys of an organization and not to other organizations", async () => {
      const { id } = (await create("shared")).json;
      const colleague = await adminOf(test, admin);
      expect((await create("shared", colleague)).json).toEqual({ rc: "ALREADY_CREATED", id });
      const other = await newAdmin(test, `Other ${stage.name}`);
      const theirs = await create("shared", other);
      expect(theirs.status).toBe(200);
      expect(theirs.json.id).not.toBe(id);
    });

    it("remembers a creation for one day and then deletes it", async () => {
      const { id } = (await create("daily")).json;
      test.clock.advance("86399 seconds");
      expect((await create("daily")).json).toEqual({ rc: "ALREADY_CREATED", id });
      test.clock.advance("1 seconds");
      const next = await create("daily");
      expect(next.status).toBe(200);
      expect((await create("daily")).json).toEqual({ rc: "ALREADY_CREATED", id: next.json.id });
      const { keys } = test.service.services.store;
      expect(await keys.creation(admin.organizationId, hash("sha256", "once"))).toBeUndefined();
      expect(await keys.creation(admin.organizationId, hash("sha256", "daily"))).toMatchObject({ keyId: next.json.id });
    });

    it("creates one key if the same request arrives many times concurrently", async () => {
      const replies = await Promise.all(Array.from({ length: 12 }, () => create("race")));
      const created = replies.filter(({ status }) => status === 200);
      expect(created).toHaveLength(1);
      const others = replies.filter(({ status }) => status !== 200);
      const expected = { rc: "ALREADY_CREATED", id: created[0]?.json.id };
      expect(others.map(({ json }) => json)).toEqual(Array(11).fill(expected));
    });

    it("does not remember failed creations", async () => {
      expectRefusal(await create("failed", admin, { name: "" }), 400, "INVALID_REQUEST");
      expectRefusal(
        await create("failed", admin, { name: "x", expires: "2001-01-01T00:00:00Z" }),
        400,
        "INVALID_REQUEST",
      );
      expect((await create("failed")).status).toBe(200);
    });

    it("accepts 1 to 255 visible ASCII characters and returns 400 INVALID_REQUEST otherwise", async () => {
      for (const key of ["!", "~".repeat(255), '"8e03978e-40d5-43dd-bc93-6894a57f9324"']) {
        expect((await create(key)).status).toBe(200);
      }
      const before = await admin.keys();
      for (const key of ["", "x".repeat(256), "two words", "caf\xe9", "one, other", "a\tb"]) {
        expectRefusal(await create(key), 400, "INVALID_REQUEST");
      }
      expect(await admin.keys()).toEqual(before);
    });

    it("creates a key for every request without the header", async () => {
      const [one, two] = [await admin.create({ name: "ci" }), await admin.create({ name: "ci" })];
      expect(one.json.id).not.toBe(two.json.id);
    });
  });
}
