import { ApiKeyList } from "@dbdepot/contract/iam/keys";
import type { KeyList } from "@dbdepot/contract/operator/keys";
import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { createKey, insertKey } from "../../../src/domain/keys/keys.ts";
import { personOf } from "../console/person.ts";
import { robotOf } from "../operator/robot.ts";
import { type Admin, adminOf, newAdmin } from "./admin.ts";

for (const stage of eitherStage()) {
  describe(`GET /api/v1/iam/apikeys on ${stage.name}`, () => {
    let test: TestService;
    let admin: Admin;

    beforeAll(async () => {
      test = await testService(stage);
      admin = await newAdmin(test, "Acme");
    });
    afterAll(() => test.dispose());

    it("returns the organization's keys, newest first, with every field except the secret", async () => {
      const expires = "2099-01-01T00:00:00.000Z";
      const terms = { allowed_scopes: ["db.download"], allowed_cidrs: ["10.0.0.0/8"], expires };
      const first = (await admin.create({ name: "first", ...terms })).json;
      const second = (await admin.create({ name: "second" })).json;
      const reply = await admin.send("GET", "");
      expect(Value.Check(ApiKeyList, reply.json)).toBe(true);
      expect(reply.headers.get("cache-control")).toBe("no-store");
      expect(reply.json.keys.map(({ name }: { name: string }) => name)).toEqual([
        "second",
        "first",
        "admin",
        "Acme's key",
      ]);
      expect(reply.json.keys[0].id).toBe(second.id);
      expect(reply.json.keys[1]).toEqual({
        id: first.id,
        name: "first",
        key_prefix: first.key_prefix,
        ...terms,
        created: test.clock.now().toISOString(),
        last_used: null,
        revoked: null,
        created_by: `key:${admin.key.slice(0, "dbd_12345678".length)}`,
        last_used_at: null,
        revoked_at: null,
        old_secret_until: null,
      });
    });

    it("shows who created a key, but not who at the vendor", async () => {
      const organization = await newAdmin(test, "Curious");
      const person = await personOf(test, "curious@example.com", "admin", "Curious");
      expect((await person.post("/api/v1/iam/apikeys", { name: "by a person" })).status).toBe(200);
      const robot = await robotOf(test);
      await robot.request("POST", "/keys", { name: "by the operator API", org: "Curious" });
      const creators = new Map((await organization.keys()).map(({ name, created_by }) => [name, created_by]));
      expect(Object.fromEntries(creators)).toEqual({
        "by the operator API": "vendor",
        "by a person": "account:curious@example.com",
        admin: "vendor",
        "Curious's key": "vendor",
      });
      const seen = await robot.request<KeyList>("GET", "/keys?org=Curious");
      expect(seen.keys.find(({ name }) => name === "by the operator API")?.created_by).toBe(`key:${robot.prefix}`);
    });

    it("never returns a secret", async () => {
      const { key } = (await admin.create({ name: "secret" })).json;
      const { text } = await admin.send("GET", "");
      for (const secret of [key, admin.key]) expect(text).not.toContain(secret.slice("dbd_12345678_".length));
    });

    it("does not return keys of other organizations", async () => {
      const other = await newAdmin(test, "Other");
      await other.create({ name: "another's" });
      expect((await other.keys()).map(({ name }) => name)).toEqual(["another's", "admin", "Other's key"]);
      expect((await admin.keys()).map(({ name }) => name)).not.toContain("another's");
    });

    it("includes revoked keys", async () => {
      const { id } = (await admin.create({ name: "gone" })).json;
      await admin.revoke(id);
      const [newest] = await admin.keys();
      expect(newest).toMatchObject({ id, revoked: test.clock.now().toISOString() });
    });

    it("returns pages, each with a link to the next one", async () => {
      const paged = await newAdmin(test, "Paged");
      for (const name of ["one", "two", "three"]) await paged.create({ name });
      const pages: string[][] = [];
      const secret = "apikey=dbd_secret";
      for (let query: string | undefined = `?limit=2&${secret}&frob=1`; query !== undefined; ) {
        const reply = await paged.send("GET", query);
        expect(reply.status).toBe(200);
        pages.push(reply.json.keys.map(({ name }: { name: string }) => name));
        query = /^<\/api\/v1\/iam\/apikeys(\?limit=2&cursor=[\w-]+)>; rel="next"$/.exec(
          reply.headers.get("link") ?? "",
        )?.[1];
      }
      expect(pages).toEqual([["three", "two"], ["one", "admin"], ["Paged's key"]]);
      expect((await paged.send("GET", "")).headers.get("link")).toBeNull();
    });

    it("returns up to 1000 keys without parameters, the default limit of an organization", async () => {
      const large = await newAdmin(test, "Large");
      const { operator } = test;
      const { organizationId } = large;
      const request = { organizationId, name: "many", scopes: [], cidrs: [], expires: null };
      const operation = { ...operator.operation(), rules: { maxKeysPerOrganization: 1001 } };
      await operation.store.change(async (tables) => {
        for (let i = 2; i < 1000; i += 1) await insertKey(tables, operation, request);
      });
      expect(await large.keys()).toHaveLength(1000);
      await createKey(operation, request);
      const reply = await large.send("GET", "");
      expect(reply.json.keys).toHaveLength(1000);
      expect(reply.headers.get("link")).toContain("cursor=");
    });

    it("returns 400 INVALID_REQUEST for an invalid limit or cursor", async () => {
      for (const query of ["limit=0", "limit=1001", "limit=all", "limit=1&limit=2", "cursor=", "cursor=bm90aGluZw"]) {
        expectRefusal(await admin.send("GET", `?${query}`), 400, "INVALID_REQUEST");
      }
    });

    it("answers HEAD requests and returns 401 UNAUTHORIZED without apikeys.manage", async () => {
      expect((await admin.send("HEAD", "")).status).toBe(200);
      const scopeless = await adminOf(test, admin, { scopes: ["db.download"] });
      expectRefusal(await scopeless.send("GET", ""), 401, "UNAUTHORIZED");
    });
  });
}
