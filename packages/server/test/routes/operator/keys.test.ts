import { CreatedKey } from "@dbdepot/contract/iam/keys";
import { KeyList, type ListedKey, type OperatorKey } from "@dbdepot/contract/operator/keys";
import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Customer, expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { command, expectError, Robot, robotOf } from "./robot.ts";

for (const stage of eitherStage()) {
  describe(`/api/operator/keys on ${stage.name}`, () => {
    let test: TestService;
    let robot: Robot;
    let acme: Customer;
    const secrets: string[] = [];

    beforeAll(async () => {
      test = await testService(stage);
      robot = await robotOf(test);
      acme = await test.operator.customer("Acme");
      await test.operator.addDatabase("vpn_ip_v1");
    });
    afterAll(() => test.dispose());

    async function create(body: object, by = robot): Promise<CreatedKey> {
      const created = await by.request<CreatedKey>("POST", "/keys", { name: "ci", ...body });
      expect(Value.Check(CreatedKey, created)).toBe(true);
      secrets.push(created.key);
      return created;
    }

    function customerWith({ id, key }: CreatedKey): Customer {
      return new Customer(test.service.apiUrl, key, { organizationId: acme.organizationId, keyId: id });
    }

    it("creates, rotates, updates and revokes customer keys with immediate effect", async () => {
      const created = await create({ org: "Acme", allowed_scopes: ["db.download"], allowed_cidrs: ["127.0.0.0/8"] });
      expect(created).toMatchObject({ name: "ci", allowed_scopes: ["db.download"], allowed_cidrs: ["127.0.0.0/8"] });
      expect((await customerWith(created).list()).status).toBe(200);

      const rotated = await robot.request<CreatedKey>("POST", `/keys/${created.id}/rotate`, { overlap_seconds: 60 });
      secrets.push(rotated.key);
      expect(rotated).toEqual({ ...created, key: rotated.key, key_prefix: rotated.key_prefix });
      for (const { key } of [created, rotated])
        expect((await customerWith({ ...created, key }).list()).status).toBe(200);
      test.clock.advance("60 seconds");
      expectRefusal(await customerWith(created).list(), 401, "UNAUTHORIZED");

      const again = await robot.request<CreatedKey>("POST", `/keys/${rotated.key_prefix}/rotate`, {
        overlap_seconds: 60,
      });
      secrets.push(again.key);
      expect((await customerWith(rotated).list()).status).toBe(200);
      const until = async () => (await robot.all<ListedKey>("/keys", "keys")).flat().map((key) => key.old_secret_until);
      expect(await until()).toContain(new Date(test.clock.now().getTime() + 60_000).toISOString());
      expect(await robot.request("POST", `/keys/${again.key_prefix}/end-overlap`)).toMatchObject({ id: created.id });
      expect((await until()).filter(Boolean)).toEqual([]);
      expectRefusal(await customerWith(rotated).list(), 401, "UNAUTHORIZED");

      const changes = { name: "cd", allowed_scopes: ["apikeys.manage"], allowed_cidrs: [], expires: "2999-01-01" };
      const updated = await robot.request<OperatorKey>("PATCH", `/keys/${again.key_prefix}`, changes);
      expect(updated).toMatchObject({ ...changes, id: created.id, expires: "2999-01-01T00:00:00.000Z" });
      expectRefusal(await customerWith(again).list(), 401, "UNAUTHORIZED");
      expect(
        await robot.request("PATCH", `/keys/${created.id}`, { expires: null, allowed_scopes: ["db.download"] }),
      ).toEqual({ ...updated, expires: null, allowed_scopes: ["db.download"], last_used: updated.last_used });
      expect((await customerWith(again).list()).status).toBe(200);

      const revoked = await robot.request<OperatorKey>("POST", `/keys/${created.id}/revoke`);
      expect(revoked.revoked).toBe(test.clock.now().toISOString());
      expectRefusal(await customerWith(again).list(), 401, "UNAUTHORIZED");
      const entries = await test.service.services.store.audit.list({ subjects: [created.id], limit: 9 });
      expect(entries.map(({ action }) => action)).toEqual([
        "key.revoked",
        "key.updated",
        "key.updated",
        "key.overlap_ended",
        "key.rotated",
        "key.rotated",
        "key.created",
      ]);
      expect(new Set(entries.map(({ actor }) => actor))).toEqual(new Set([`key:${robot.prefix}`]));
    });

    it("changes nothing for an empty update", async () => {
      const { id } = await create({ org: acme.organizationId });
      const revision = await test.service.services.store.revision();
      expect(await robot.request("PATCH", `/keys/${id}`, {})).toMatchObject({ id, name: "ci" });
      expect(await test.service.services.store.revision()).toBe(revision);
    });

    it("lists all keys or those of one organization in pages, like the command", async () => {
      await create({});
      const pages = await robot.all<OperatorKey>("/keys?limit=2", "keys");
      expect(Value.Check(KeyList, { keys: pages.flat() })).toBe(true);
      expect(pages.flat()).toEqual(await command(test, "keys", "list"));
      expect(pages.slice(0, -1).every((page) => page.length === 2)).toBe(true);
      const ofAcme = await robot.all<OperatorKey>("/keys?org=Acme&limit=1", "keys");
      expect(ofAcme.flat()).toEqual(await command(test, "keys", "list", "Acme"));
      expect(ofAcme).toHaveLength(3);
    });

    it("does not let an operator key grant scopes it does not have", async () => {
      const writer = await robotOf(test, { scopes: ["operator.write"] });
      const made = await create({ allowed_scopes: ["operator.write"] }, writer);
      expect((await new Robot(test.service.apiUrl, made.key).post("/organizations", { name: "Made" })).status).toBe(
        200,
      );
      const publisher = await create({ name: "publisher", allowed_scopes: ["builds.publish"] });
      const idle = await create({ name: "idle" });
      const words = "your own key lacks builds.publish";
      const { store } = test.service.services;
      const revision = await store.revision();
      const steps: [method: string, path: string, body: object][] = [
        ["POST", "/keys", { name: "more", allowed_scopes: ["operator.write", "builds.publish"] }],
        ["POST", `/keys/${publisher.id}/rotate`, {}],
        ["PATCH", `/keys/${publisher.id}`, { name: "mine" }],
        ["PATCH", `/keys/${publisher.id}`, { allowed_scopes: [] }],
        ["PATCH", `/keys/${idle.id}`, { allowed_scopes: ["builds.publish"] }],
        ["PATCH", `/keys/${made.id}`, { allowed_scopes: ["builds.publish", "operator.write"] }],
      ];
      for (const [method, path, body] of steps) {
        expectError(await writer.send(method, path, body), 400, "INVALID_REQUEST", words);
      }
      expect(await store.revision()).toBe(revision);
      await create({ org: "Acme", allowed_scopes: ["db.download", "apikeys.manage"] }, writer);
      expect(await writer.request("POST", `/keys/${publisher.id}/revoke`)).toMatchObject({ id: publisher.id });
      secrets.push((await writer.request<CreatedKey>("POST", `/keys/${writer.prefix}/rotate`)).key);
    });

    it("restricts operator keys to the CIDRs of the key that creates them", async () => {
      const restricted = await robotOf(test, { cidrs: ["127.0.0.0/8"] });
      expect((await create({ allowed_scopes: ["operator.read"] }, restricted)).allowed_cidrs).toEqual(["127.0.0.0/8"]);
      const inside = await create({ allowed_cidrs: ["127.0.0.0/24"] }, restricted);
      expect(inside.allowed_cidrs).toEqual(["127.0.0.0/24"]);
      expect((await create({ org: "Acme" }, restricted)).allowed_cidrs).toEqual([]);
      const unrestricted = await create({});
      const words = "your own key is restricted to 127.0.0.0/8";
      expectError(
        await restricted.post("/keys", { name: "x", allowed_cidrs: ["10.0.0.0/8"] }),
        400,
        "INVALID_REQUEST",
        words,
      );
      expectError(await restricted.post(`/keys/${unrestricted.id}/rotate`), 400, "INVALID_REQUEST", words);
      expectError(
        await restricted.send("PATCH", `/keys/${inside.id}`, { allowed_cidrs: [] }),
        400,
        "INVALID_REQUEST",
        words,
      );
    });

    it("lets an operator key that expires create, rotate and change only operator keys that expire no later", async () => {
      const at = (seconds: number) => new Date(test.clock.now().getTime() + seconds * 1000);
      const end = at(3600).toISOString();
      const expiring = await robotOf(test, { expires: at(3600) });
      const expiryOf = async (id: string) => (await test.service.services.store.keys.byId(id))?.expires?.toISOString();
      const heir = await create({}, expiring);
      expect(await expiryOf(heir.id)).toBe(end);
      expect(await expiryOf((await create({ expires: at(60).toISOString() }, expiring)).id)).toBe(at(60).toISOString());
      const endless = await create({});
      const words = `your own key expires on ${end}`;
      const later = at(3601).toISOString();
      const steps: [method: string, path: string, body: object][] = [
        ["POST", "/keys", { name: "x", expires: null }],
        ["POST", "/keys", { name: "x", expires: later }],
        ["PATCH", `/keys/${heir.id}`, { expires: null }],
        ["PATCH", `/keys/${expiring.prefix}`, { expires: later }],
        ["POST", `/keys/${endless.id}/rotate`, {}],
        ["PATCH", `/keys/${endless.id}`, { name: "mine" }],
      ];
      for (const [method, path, body] of steps) {
        expectError(await expiring.send(method, path, body), 400, "INVALID_REQUEST", words);
      }
      // Customers' keys last as long as their contracts.
      const customers = await create({ org: "Acme" }, expiring);
      expect(await expiryOf(customers.id)).toBeUndefined();
      expect((await expiring.post(`/keys/${customers.id}/rotate`)).status).toBe(200);
    });

    it("returns 401 to a key that another process has just revoked, and changes nothing", async () => {
      const late = await robotOf(test);
      expect((await late.get("/keys?limit=1")).status).toBe(200);
      const { store, register } = test.service.services;
      const refresh = register.refresh.bind(register);
      // Simulates a process that has not seen the revocation yet.
      register.refresh = async () => {};
      try {
        await store.change(async (tables) => {
          const key = await tables.keys.byPrefix(late.prefix);
          if (key) await tables.keys.update({ ...key, revoked: test.clock.now() });
        });
        const revision = await store.revision();
        expectRefusal(await late.post("/keys", { name: "too late" }), 401, "UNAUTHORIZED");
        expectRefusal(await late.post(`/keys/${late.prefix}/rotate`), 401, "UNAUTHORIZED");
        expectRefusal(await late.send("PATCH", `/keys/${late.prefix}`, { name: "too late" }), 401, "UNAUTHORIZED");
        expect(await store.revision()).toBe(revision);
      } finally {
        register.refresh = refresh;
        await register.refresh();
      }
    });

    it("explains in a message why a request was refused, without repeating a secret", async () => {
      const { id } = await create({ org: "Acme" });
      const revoked = await create({ org: "Acme" });
      await robot.request("POST", `/keys/${revoked.id}/revoke`);
      const revision = await test.service.services.store.revision();
      const refusals: [method: string, path: string, body: unknown, status: number, rc: string, message: string][] = [
        ["POST", "", { name: " " }, 400, "INVALID_REQUEST", "a key's name must be one line"],
        ["POST", "", {}, 400, "INVALID_REQUEST", '"name" is missing'],
        ["POST", "", { name: "x", org: "Nobody" }, 404, "NOT_FOUND", 'no organization "Nobody"'],
        ["POST", "", { name: "x", allowed_scopes: ["all"] }, 400, "INVALID_REQUEST", "one of db.download"],
        [
          "POST",
          "",
          { name: "x", org: "Acme", allowed_scopes: ["operator.read"] },
          400,
          "INVALID_REQUEST",
          "operator scope",
        ],
        ["POST", "", { name: "x", allowed_cidrs: ["10.0.0.1/8"] }, 400, "INVALID_REQUEST", "did you mean 10.0.0.0/8"],
        ["POST", "", { name: "x", expires: "2001-01-01" }, 400, "INVALID_REQUEST", "would expire in the past"],
        ["POST", "", { name: "x", expires: "soon" }, 400, "INVALID_REQUEST", 'expires: "soon" is not a date'],
        ["POST", "/dbd_00000000/revoke", undefined, 404, "NOT_FOUND", "there is no such key"],
        ["POST", `/${revoked.id}/revoke`, undefined, 409, "CONFLICT", "was revoked on"],
        ["POST", `/${revoked.id}/rotate`, undefined, 409, "CONFLICT", "was revoked on"],
        ["PATCH", `/${revoked.id}`, { name: "x" }, 409, "CONFLICT", "was revoked on"],
        ["POST", `/${id}/rotate`, { overlap_seconds: 604_801 }, 400, "INVALID_REQUEST", "overlap_seconds must be <="],
        ["POST", `/${id}/rotate`, { overlap_seconds: 1.5 }, 400, "INVALID_REQUEST", "must be an integer"],
        ["PATCH", `/${id}`, { scopes: [] }, 400, "INVALID_REQUEST", 'unknown "scopes"'],
        ["PATCH", "/%00", { name: "x" }, 404, "NOT_FOUND", "there is no such key"],
      ];
      for (const [method, path, body, status, rc, message] of refusals) {
        expectError(await robot.send(method, `/keys${path}`, body), status, rc, message);
      }
      const pasted = await robot.post(`/keys/${robot.key}/revoke`);
      expect(pasted.status).toBe(404);
      expect(pasted.text).not.toContain(robot.key);
      expectError(await robot.get("/keys?org=Nobody"), 404, "NOT_FOUND", 'no organization "Nobody"');
      expect(await test.service.services.store.revision()).toBe(revision);
    });

    it("returns a secret only in the response that creates it", async () => {
      const shown = JSON.stringify([
        await robot.all("/keys", "keys"),
        await robot.all("/audit", "entries"),
        await robot.all("/history", "attempts"),
        test.logs(),
        await test.databaseContent(),
      ]);
      expect(secrets.length).toBeGreaterThan(5);
      for (const secret of secrets) expect(shown).not.toContain(secret);
    });
  });
}
