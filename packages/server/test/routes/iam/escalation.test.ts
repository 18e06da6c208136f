import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { hashSecret } from "../../../src/domain/access/secret.ts";
import { revokeKey, rotateKey, updateKey } from "../../../src/domain/keys/keys.ts";
import { type Admin, adminOf, newAdmin } from "./admin.ts";

const OWN = ["127.0.0.0/8", "10.0.0.0/8"];

for (const stage of eitherStage()) {
  describe(`Privilege escalation with apikeys.manage on ${stage.name}`, () => {
    let test: TestService;
    /** May connect from any address. */
    let unrestricted: Admin;
    /** A key of the same organization, restricted to `OWN`. */
    let restricted: Admin;

    beforeAll(async () => {
      test = await testService(stage);
      unrestricted = await newAdmin(test, "Acme");
      restricted = await adminOf(test, unrestricted, { cidrs: OWN });
    });
    afterAll(() => test.dispose());

    const cidrsOf = async (id: string) => (await unrestricted.keys()).find((key) => key.id === id).allowed_cidrs;

    it("gives new keys the caller's CIDRs if the request has none", async () => {
      for (const body of [{ name: "inherits" }, { name: "inherits", allowed_cidrs: [] }]) {
        const reply = await restricted.create(body);
        expect([reply.status, reply.json.allowed_cidrs]).toEqual([200, OWN]);
      }
      expect((await unrestricted.create({ name: "unrestricted" })).json.allowed_cidrs).toEqual([]);
    });

    it("creates keys for CIDRs inside the caller's own", async () => {
      for (const cidrs of [["10.1.0.0/16"], ["10.0.0.0/8"], ["127.0.0.1/32", "10.9.9.9/32"], ["::ffff:10.0.0.0/104"]]) {
        expect((await restricted.create({ name: "inside", allowed_cidrs: cidrs })).status).toBe(200);
      }
    });

    it("returns 400 INVALID_REQUEST for CIDRs outside the caller's own and creates no key", async () => {
      const before = await unrestricted.keys();
      for (const cidrs of [
        ["0.0.0.0/0"],
        ["10.0.0.0/7"],
        ["::/0"],
        ["::ffff:0:0/96"],
        ["10.0.0.0/8", "192.0.2.0/24"],
        ["2001:db8::/32"],
      ]) {
        expectRefusal(await restricted.create({ name: "outside", allowed_cidrs: cidrs }), 400, "INVALID_REQUEST");
      }
      expect(await unrestricted.keys()).toEqual(before);
    });

    it("passes the restriction on to every key that descends from a restricted key", async () => {
      const child = restricted.with(await restricted.create({ name: "child", allowed_scopes: ["apikeys.manage"] }));
      expectRefusal(await child.create({ name: "x", allowed_cidrs: ["0.0.0.0/0"] }), 400, "INVALID_REQUEST");
      expect((await child.create({ name: "grandchild" })).json.allowed_cidrs).toEqual(OWN);
    });

    it("does not let a restricted key widen its own CIDRs or those of another key", async () => {
      const { id } = (await restricted.create({ name: "inside", allowed_cidrs: ["10.1.0.0/16"] })).json;
      for (const cidrs of [[], ["0.0.0.0/0"], ["10.1.0.0/16", "192.0.2.0/24"]]) {
        for (const target of [id, restricted.keyId]) {
          expectRefusal(await restricted.update(target, { allowed_cidrs: cidrs }), 400, "INVALID_REQUEST");
        }
      }
      expect(await cidrsOf(id)).toEqual(["10.1.0.0/16"]);
      expect(await cidrsOf(restricted.keyId)).toEqual(OWN);
      expect((await restricted.update(id, { allowed_cidrs: ["10.0.0.0/8"] })).status).toBe(200);
    });

    it("returns 403 OUTSIDE_CIDRS if a restricted key rotates or changes a key that works from other addresses", async () => {
      for (const cidrs of [[], ["192.0.2.0/24"], ["10.0.0.0/8", "192.0.2.0/24"]]) {
        const wider = await adminOf(test, unrestricted, { cidrs });
        expectRefusal(await restricted.rotate(wider.keyId), 403, "OUTSIDE_CIDRS");
        expectRefusal(await restricted.update(wider.keyId, { allowed_scopes: ["db.download"] }), 403, "OUTSIDE_CIDRS");
        // Narrowing it is refused too: it would break the key for its owner without an explanation.
        expectRefusal(await restricted.update(wider.keyId, { allowed_cidrs: OWN }), 403, "OUTSIDE_CIDRS");
        expect((await unrestricted.keys()).find((key) => key.id === wider.keyId)).toMatchObject({
          key_prefix: wider.key.slice(0, 12),
          allowed_scopes: ["apikeys.manage"],
          allowed_cidrs: cidrs,
        });
      }
    });

    it("lets a restricted key revoke a key that works from other addresses", async () => {
      const wider = await adminOf(test, unrestricted);
      expect((await restricted.revoke(wider.keyId)).status).toBe(200);
    });

    it("lets an unrestricted key widen and rotate restricted keys", async () => {
      const target = await adminOf(test, unrestricted, { cidrs: ["192.0.2.0/24"] });
      expect((await unrestricted.update(target.keyId, { allowed_cidrs: [] })).status).toBe(200);
      expect((await unrestricted.rotate(target.keyId)).status).toBe(200);
    });

    describe("A key with an expiry date", () => {
      const at = (seconds: number) => new Date(test.clock.now().getTime() + seconds * 1000).toISOString();
      const OWN_END = 3600;
      const expiring = () => adminOf(test, unrestricted, { expires: new Date(at(OWN_END)) });
      const find = async (id: string) => (await unrestricted.keys()).find((key) => key.id === id);

      it("passes its expiry date on to keys created without one", async () => {
        const { id } = (await (await expiring()).create({ name: "inherits" })).json;
        expect((await find(id)).expires).toBe(at(OWN_END));
      });

      it("creates keys only if they expire at the same time or earlier", async () => {
        const admin = await expiring();
        for (const expires of [at(OWN_END), at(60)]) {
          expect((await admin.create({ name: "within", expires })).status).toBe(200);
        }
        const before = await unrestricted.keys();
        for (const expires of [null, at(OWN_END + 1)]) {
          expectRefusal(await admin.create({ name: "beyond", expires }), 400, "INVALID_REQUEST");
        }
        expect(await unrestricted.keys()).toEqual(before);
      });

      it("cannot extend itself or another key beyond its expiry date", async () => {
        const admin = await expiring();
        const { id } = (await admin.create({ name: "child", expires: at(60) })).json;
        for (const target of [id, admin.keyId]) {
          for (const expires of [null, at(OWN_END + 1)]) {
            expectRefusal(await admin.update(target, { expires }), 400, "INVALID_REQUEST");
          }
        }
        expect((await admin.update(id, { expires: at(OWN_END) })).status).toBe(200);
        expect((await find(admin.keyId)).expires).toBe(at(OWN_END));
      });

      it("returns 403 BEYOND_EXPIRY if it rotates or changes a key that expires later, but may revoke it", async () => {
        const admin = await expiring();
        for (const expires of [null, new Date(at(OWN_END + 1))]) {
          const { keyId } = await adminOf(test, unrestricted, { expires });
          const before = await find(keyId);
          expectRefusal(await admin.rotate(keyId), 403, "BEYOND_EXPIRY");
          expectRefusal(await admin.update(keyId, { allowed_scopes: ["db.download"] }), 403, "BEYOND_EXPIRY");
          expect(await find(keyId)).toEqual(before);
          expect((await admin.revoke(keyId)).status).toBe(200);
        }
        expect((await admin.rotate(admin.keyId)).status).toBe(200);
      });
    });

    it("ignores or refuses every attempt to name another organization", async () => {
      const other = await newAdmin(test, `Other ${stage.name}`);
      for (const field of ["organization_id", "organization", "org", "organizationId"]) {
        const reply = await unrestricted.create({ name: "x", [field]: other.organizationId });
        expectRefusal(reply, 400, "INVALID_REQUEST");
      }
      const { id } = (await unrestricted.create({ name: "x" }, { "x-organization-id": other.organizationId })).json;
      expect((await other.keys()).map((key) => key.id)).not.toContain(id);
    });

    for (const [change, apply] of [
      ["revoked", (id: string) => revokeKey(test.operator.operation(), id)],
      ["rotated", (id: string) => rotateKey(test.operator.operation(), id, 0)],
      ["stripped of its scope", (id: string) => updateKey(test.operator.operation(), id, { scopes: [] })],
      [
        "restricted to other addresses",
        (id: string) => updateKey(test.operator.operation(), id, { cidrs: ["192.0.2.0/24"] }),
      ],
    ] as const) {
      it(`returns 401 to a caller that was just ${change}, before the register is refreshed`, async () => {
        const caller = await adminOf(test, unrestricted);
        await caller.keys();
        const target = await adminOf(test, unrestricted);
        const { register } = test.service.services;
        const { key } = register;
        // Simulates a process that has not seen the change yet and still knows the old keys.
        const known = new Map(await Promise.all([caller.key, unrestricted.key].map((secret) => lookUp(test, secret))));
        register.key = async (hash) => known.get(hash) ?? key.call(register, hash);
        try {
          await apply(caller.keyId);
          const before = (await unrestricted.keys()).length;
          expectRefusal(await caller.create({ name: "too late" }), 401, "UNAUTHORIZED");
          expectRefusal(await caller.rotate(target.keyId), 401, "UNAUTHORIZED");
          expectRefusal(await caller.revoke(target.keyId), 401, "UNAUTHORIZED");
          expectRefusal(await caller.update(target.keyId, { name: "x" }), 401, "UNAUTHORIZED");
          expect(await unrestricted.keys()).toHaveLength(before);
        } finally {
          register.key = key;
        }
      });
    }
  });
}

async function lookUp({ service }: TestService, secret: string) {
  const hash = hashSecret(secret);
  return [hash, await service.services.register.key(hash)] as const;
}
