import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { revokeKey, rotateKey, updateKey } from "../../../src/keys/keys.ts";
import { hashSecret } from "../../../src/keys/secret.ts";
import { expectRefusal } from "../../customer.ts";
import { stages } from "../../stages.ts";
import { type TestService, testService } from "../../test-service.ts";
import { type Admin, adminOf, newAdmin } from "./admin.ts";

const OWN = ["127.0.0.0/8", "10.0.0.0/8"];

for (const stage of stages()) {
  describe(`a manager gains nothing, on ${stage.name}`, () => {
    let test: TestService;
    /** Bound to no CIDR. */
    let free: Admin;
    /** Of the same organization, bound to `OWN`. */
    let bound: Admin;

    beforeAll(async () => {
      test = await testService(stage);
      free = await newAdmin(test, "Acme");
      bound = await adminOf(test, free, { cidrs: OWN });
    });
    afterAll(() => test.dispose());

    const cidrsOf = async (id: string) => (await free.keys()).find((key) => key.id === id).allowed_cidrs;

    it("creation passes the caller's own CIDRs on where none are given", async () => {
      for (const body of [{ name: "heir" }, { name: "heir", allowed_cidrs: [] }]) {
        const reply = await bound.create(body);
        expect([reply.status, reply.json.allowed_cidrs]).toEqual([200, OWN]);
      }
      expect((await free.create({ name: "free" })).json.allowed_cidrs).toEqual([]);
    });

    it("creation inside the caller's CIDRs: 200", async () => {
      for (const cidrs of [["10.1.0.0/16"], ["10.0.0.0/8"], ["127.0.0.1/32", "10.9.9.9/32"], ["::ffff:10.0.0.0/104"]]) {
        expect((await bound.create({ name: "inside", allowed_cidrs: cidrs })).status).toBe(200);
      }
    });

    it("creation outside of them: 400 INVALID_REQUEST, and no key exists", async () => {
      const before = await free.keys();
      for (const cidrs of [
        ["0.0.0.0/0"],
        ["10.0.0.0/7"],
        ["::/0"],
        ["::ffff:0:0/96"],
        ["10.0.0.0/8", "192.0.2.0/24"],
        ["2001:db8::/32"],
      ]) {
        expectRefusal(await bound.create({ name: "outside", allowed_cidrs: cidrs }), 400, "INVALID_REQUEST");
      }
      expect(await free.keys()).toEqual(before);
    });

    it("a key made by a bound one is bound too, and so are those that it makes", async () => {
      const child = bound.with(await bound.create({ name: "child", allowed_scopes: ["apikeys.manage"] }));
      expectRefusal(await child.create({ name: "x", allowed_cidrs: ["0.0.0.0/0"] }), 400, "INVALID_REQUEST");
      expect((await child.create({ name: "grandchild" })).json.allowed_cidrs).toEqual(OWN);
    });

    it("PATCH does not widen beyond the caller's CIDRs, its own key not excepted", async () => {
      const { id } = (await bound.create({ name: "inside", allowed_cidrs: ["10.1.0.0/16"] })).json;
      for (const cidrs of [[], ["0.0.0.0/0"], ["10.1.0.0/16", "192.0.2.0/24"]]) {
        for (const target of [id, bound.keyId]) {
          expectRefusal(await bound.update(target, { allowed_cidrs: cidrs }), 400, "INVALID_REQUEST");
        }
      }
      expect(await cidrsOf(id)).toEqual(["10.1.0.0/16"]);
      expect(await cidrsOf(bound.keyId)).toEqual(OWN);
      expect((await bound.update(id, { allowed_cidrs: ["10.0.0.0/8"] })).status).toBe(200);
    });

    it("403 OUTSIDE_CIDRS: a bound caller neither rotates nor changes a key that works from elsewhere", async () => {
      for (const cidrs of [[], ["192.0.2.0/24"], ["10.0.0.0/8", "192.0.2.0/24"]]) {
        const wider = await adminOf(test, free, { cidrs });
        expectRefusal(await bound.rotate(wider.keyId), 403, "OUTSIDE_CIDRS");
        expectRefusal(await bound.update(wider.keyId, { allowed_scopes: ["db.download"] }), 403, "OUTSIDE_CIDRS");
        // Not even to bring it inside: its owner would not find out why it stopped.
        expectRefusal(await bound.update(wider.keyId, { allowed_cidrs: OWN }), 403, "OUTSIDE_CIDRS");
        expect((await free.keys()).find((key) => key.id === wider.keyId)).toMatchObject({
          key_prefix: wider.key.slice(0, 12),
          allowed_scopes: ["apikeys.manage"],
          allowed_cidrs: cidrs,
        });
      }
    });

    it("but it may revoke one, which gives nobody anything", async () => {
      const wider = await adminOf(test, free);
      expect((await bound.revoke(wider.keyId)).status).toBe(200);
    });

    it("and a caller bound to nothing may do all of it", async () => {
      const target = await adminOf(test, free, { cidrs: ["192.0.2.0/24"] });
      expect((await free.update(target.keyId, { allowed_cidrs: [] })).status).toBe(200);
      expect((await free.rotate(target.keyId)).status).toBe(200);
    });

    describe("with an expiry", () => {
      const at = (seconds: number) => new Date(test.clock.now().getTime() + seconds * 1000).toISOString();
      const OWN_END = 3600;
      const expiring = () => adminOf(test, free, { expires: new Date(at(OWN_END)) });
      const find = async (id: string) => (await free.keys()).find((key) => key.id === id);

      it("passes its expiry on to the keys that it creates without one", async () => {
        const { id } = (await (await expiring()).create({ name: "heir" })).json;
        expect((await find(id)).expires).toBe(at(OWN_END));
      });

      it("creates keys that expire at the same time or earlier, and none that expire later", async () => {
        const admin = await expiring();
        for (const expires of [at(OWN_END), at(60)]) {
          expect((await admin.create({ name: "within", expires })).status).toBe(200);
        }
        const before = await free.keys();
        for (const expires of [null, at(OWN_END + 1)]) {
          expectRefusal(await admin.create({ name: "beyond", expires }), 400, "INVALID_REQUEST");
        }
        expect(await free.keys()).toEqual(before);
      });

      it("gives neither itself nor another key a later expiry", async () => {
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

      it("returns 403 BEYOND_EXPIRY for rotating or changing a key that outlives it, but revokes it", async () => {
        const admin = await expiring();
        for (const expires of [null, new Date(at(OWN_END + 1))]) {
          const { keyId } = await adminOf(test, free, { expires });
          const before = await find(keyId);
          expectRefusal(await admin.rotate(keyId), 403, "BEYOND_EXPIRY");
          expectRefusal(await admin.update(keyId, { allowed_scopes: ["db.download"] }), 403, "BEYOND_EXPIRY");
          expect(await find(keyId)).toEqual(before);
          expect((await admin.revoke(keyId)).status).toBe(200);
        }
        expect((await admin.rotate(admin.keyId)).status).toBe(200);
      });
    });

    it("never another organization: no field and no header names one", async () => {
      const other = await newAdmin(test, `Other ${stage.name}`);
      for (const field of ["organization_id", "organization", "org", "organizationId"]) {
        const reply = await free.create({ name: "x", [field]: other.organizationId });
        expectRefusal(reply, 400, "INVALID_REQUEST");
      }
      const { id } = (await free.create({ name: "x" }, { "x-organization-id": other.organizationId })).json;
      expect((await other.keys()).map((key) => key.id)).not.toContain(id);
    });

    for (const [what, spoil] of [
      ["revoked", (id: string) => revokeKey(test.operator.operation(), id)],
      ["rotated out", (id: string) => rotateKey(test.operator.operation(), id, 0)],
      ["without its scope", (id: string) => updateKey(test.operator.operation(), id, { scopes: [] })],
      ["bound elsewhere", (id: string) => updateKey(test.operator.operation(), id, { cidrs: ["192.0.2.0/24"] })],
    ] as const) {
      it(`a caller that is ${what} since a moment, which this process has not heard of, makes no change: 401`, async () => {
        const caller = await adminOf(test, free);
        await caller.keys();
        const target = await adminOf(test, free);
        const { register } = test.service.parts;
        const { key } = register;
        // What another process has not taken in yet: the key as it was.
        const known = new Map(await Promise.all([caller.key, free.key].map((secret) => stale(test, secret))));
        register.key = async (hash) => known.get(hash) ?? key.call(register, hash);
        try {
          await spoil(caller.keyId);
          const before = (await free.keys()).length;
          expectRefusal(await caller.create({ name: "left behind" }), 401, "UNAUTHORIZED");
          expectRefusal(await caller.rotate(target.keyId), 401, "UNAUTHORIZED");
          expectRefusal(await caller.revoke(target.keyId), 401, "UNAUTHORIZED");
          expectRefusal(await caller.update(target.keyId, { name: "x" }), 401, "UNAUTHORIZED");
          expect(await free.keys()).toHaveLength(before);
        } finally {
          register.key = key;
        }
      });
    }
  });
}

async function stale({ service }: TestService, secret: string) {
  const hash = hashSecret(secret);
  return [hash, await service.parts.register.key(hash)] as const;
}
