import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Customer, call, expectRefusal, type Reply } from "../../../../../rigs/harness/service/customer.ts";
import { rawRequest } from "../../../../../rigs/harness/service/raw-request.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { createKey, revokeKey, rotateKey, updateKey } from "../../../src/domain/keys/keys.ts";

const PATHS = [
  "/api/v2/database/list",
  "/api/v2/database/download?id=vpn_ip_v1&format=mmdb",
  "/api/v2/database/metadata?id=vpn_ip_v1",
  "/api/v2/database/checksum?id=vpn_ip_v1&format=mmdb",
  "/api/v2/database/downloads",
  "/api/v2/database/usage",
];

for (const stage of eitherStage()) {
  describe(`Authentication of v2 requests on ${stage.name}`, () => {
    let test: TestService;
    let acme: Customer;

    beforeAll(async () => {
      test = await testService(stage);
      acme = await test.operator.customer("Acme");
      await test.operator.addDatabase("vpn_ip_v1");
      await test.operator.grant("Acme", "vpn_ip");
      await test.operator.publish("vpn_ip_v1");
    });
    afterAll(() => test.dispose());

    const send = (path: string, headers: Record<string, string> = {}) => call(acme.apiUrl + path, { headers });
    const newKey = (more: Partial<Parameters<typeof createKey>[1]> = {}) =>
      createKey(test.operator.operation(), {
        organizationId: acme.organizationId,
        name: "k",
        scopes: ["db.download"],
        cidrs: [],
        expires: null,
        ...more,
      });
    const statusWith = async (secret: string): Promise<number> => {
      await test.operator.settle();
      return (await send(PATHS[0] as string, { "x-api-key": secret })).status;
    };

    it("accepts the key in Authorization, X-Api-Key or the apikey parameter on every endpoint", async () => {
      for (const path of PATHS) {
        const ok = path.includes("/download?") ? 302 : 200;
        expect((await send(path, { authorization: `Bearer ${acme.key}` })).status).toBe(ok);
        expect((await send(path, { authorization: `bEaReR   ${acme.key}  ` })).status).toBe(ok);
        expect((await send(path, { "x-api-key": ` ${acme.key} ` })).status).toBe(ok);
        const separator = path.includes("?") ? "&" : "?";
        expect((await send(`${path}${separator}apikey=${acme.key}%20`)).status).toBe(ok);
        const all = { authorization: `Bearer ${acme.key}`, "x-api-key": acme.key };
        expect((await send(`${path}${separator}apikey=${acme.key}`, all)).status).toBe(ok);
      }
    });

    it("prefers Authorization to X-Api-Key and X-Api-Key to the apikey parameter", async () => {
      const list = PATHS[0] as string;
      expect((await send(list, { authorization: "Bearer wrong", "x-api-key": acme.key })).status).toBe(401);
      expect((await send(list, { authorization: `Bearer ${acme.key}`, "x-api-key": "wrong" })).status).toBe(200);
      expect((await send(`${list}?apikey=${acme.key}`, { "x-api-key": "wrong" })).status).toBe(401);
      expect((await send(`${list}?apikey=wrong`, { "x-api-key": acme.key })).status).toBe(200);
      expect((await send(list, { authorization: "Basic dXNlcjpwYXNz", "x-api-key": acme.key })).status).toBe(200);
    });

    it("returns 401 UNAUTHORIZED for missing, malformed, unknown, repeated and v1 keys", async () => {
      const { uuid } = await test.operator.legacyCustomer(["vpn_ip_v1"]);
      const unknown = (await newKey()).plain.reveal().replace(/^dbd_.{8}/, "dbd_AAAAAAAA");
      const secrets = [
        undefined,
        "",
        "x",
        acme.key.slice(0, -1),
        `${acme.key}x`,
        acme.key.toLowerCase(),
        unknown,
        uuid,
      ];
      for (const path of PATHS) {
        const replies: Reply[] = [];
        for (const secret of secrets)
          replies.push(await send(path, secret === undefined ? {} : { "x-api-key": secret }));
        for (const reply of replies) {
          expectRefusal(reply, 401, "UNAUTHORIZED");
          expect(reply.headers.get("www-authenticate")).toMatch(/^Bearer realm="dbdepot"/);
        }
      }
      const twice = `GET ${PATHS[0]} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${acme.key}\r\nAuthorization: Bearer ${acme.key}\r\n\r\n`;
      expect((await rawRequest(acme.apiUrl, twice)).status).toBe(401);
      expect((await send(`${PATHS[0]}?apikey=${acme.key}&apikey=${acme.key}`)).status).toBe(401);
      expect((await send(`${PATHS[0]}?apikey[]=${acme.key}`)).status).toBe(401);
    });

    it("returns 401 and names the missing scope in WWW-Authenticate", async () => {
      const { plain } = await newKey({ scopes: ["apikeys.manage"] });
      const reply = await send(PATHS[0] as string, { "x-api-key": plain.reveal() });
      expectRefusal(reply, 401, "UNAUTHORIZED");
      expect(reply.headers.get("www-authenticate")).toContain('error="insufficient_scope", scope="db.download"');
      expect(await statusWith((await newKey({ scopes: [] })).plain.reveal())).toBe(401);
    });

    it("returns 401 for operator keys and keys without an organization", async () => {
      expect(await statusWith((await newKey({ organizationId: null })).plain.reveal())).toBe(401);
      expect(await statusWith((await newKey({ organizationId: null, scopes: ["operator.read"] })).plain.reveal())).toBe(
        401,
      );
    });

    it("applies scopes as soon as they are added or removed", async () => {
      const { key, plain } = await newKey({ scopes: [] });
      expect(await statusWith(plain.reveal())).toBe(401);
      await updateKey(test.operator.operation(), key.id, { scopes: ["db.download"] });
      expect(await statusWith(plain.reveal())).toBe(200);
      await updateKey(test.operator.operation(), key.id, { scopes: [] });
      expect(await statusWith(plain.reveal())).toBe(401);
    });

    it("returns 401 for expired and revoked keys", async () => {
      const { key, plain } = await newKey({ expires: new Date(test.clock.now().getTime() + 5000) });
      expect(await statusWith(plain.reveal())).toBe(200);
      test.clock.advance("5 seconds");
      expect(await statusWith(plain.reveal())).toBe(401);
      test.clock.advance("-5 seconds");
      expect(await statusWith(plain.reveal())).toBe(200);
      await revokeKey(test.operator.operation(), key.id);
      expect(await statusWith(plain.reveal())).toBe(401);
    });

    it("accepts a key only from addresses in its CIDRs", async () => {
      expect(await statusWith((await newKey({ cidrs: ["127.0.0.0/8"] })).plain.reveal())).toBe(200);
      expect(await statusWith((await newKey({ cidrs: ["10.0.0.0/8", "::/0"] })).plain.reveal())).toBe(401);
    });

    it("accepts the old secret of a rotated key only during the overlap", async () => {
      const { key, plain: old } = await newKey();
      const { plain: next } = await rotateKey(test.operator.operation(), key.id, 60);
      expect([await statusWith(old.reveal()), await statusWith(next.reveal())]).toEqual([200, 200]);
      test.clock.advance("60 seconds");
      expect([await statusWith(old.reveal()), await statusWith(next.reveal())]).toEqual([401, 200]);
      const { plain: last } = await rotateKey(test.operator.operation(), key.id, 0);
      expect([await statusWith(next.reveal()), await statusWith(last.reveal())]).toEqual([401, 200]);
    });

    it("logs and records why a key was refused without telling the caller", async () => {
      const { plain } = await newKey({ cidrs: ["10.0.0.0/8"] });
      const reply = await send(PATHS[1] as string, { "x-api-key": plain.reveal() });
      expectRefusal(reply, 401, "UNAUTHORIZED");
      const [row] = await test.service.services.store.attempts.list({ limit: 1 });
      expect(row).toMatchObject({
        outcome: "unauthorized",
        cause: "outside_cidrs",
        organizationId: acme.organizationId,
      });
      expect(test.logs()).toContain('"refused":"outside_cidrs"');
    });
  });
}
