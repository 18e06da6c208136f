import { OPERATOR_SCOPES, SCOPES, type Scope } from "@dbdepot/contract/shared/scopes";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { PlainKey } from "../../../src/domain/access/secret.ts";
import { revokeKey } from "../../../src/domain/keys/keys.ts";
import { OPERATOR_ROUTES } from "../../../src/http/operator/routes.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";
import { Robot, robotOf } from "./robot.ts";

const ROUTES = OPERATOR_ROUTES.map(({ method, url, scope }) => ({
  method,
  scope: scope as Scope,
  path: url.slice("/api/operator".length).replace(":id", newId(new Date())).replace(":format", "mmdb"),
}));

describe("Operator routes", () => {
  it("require operator.read to read, operator.write to change and builds.publish to publish", () => {
    for (const { method, url, scope } of OPERATOR_ROUTES) {
      const isAboutBuilds = /\/builds\b|\/rollback$/.test(url);
      const isRead = method === "GET" && !/\/builds\/:id(?!\/(files|changes)\b)/.test(url);
      expect([method, url, scope]).toEqual([
        method,
        url,
        isRead ? "operator.read" : isAboutBuilds ? "builds.publish" : "operator.write",
      ]);
    }
  });

  it("have unique summaries", () => {
    for (const { summary } of OPERATOR_ROUTES) expect(summary).toMatch(/\w{2,}/);
    expect(new Set(OPERATOR_ROUTES.map(({ summary }) => summary)).size).toBe(OPERATOR_ROUTES.length);
  });
});

for (const stage of eitherStage()) {
  describe(`Access to /api/operator on ${stage.name}`, () => {
    let test: TestService;
    let robots: Map<Scope, Robot>;
    let revision: number;

    beforeAll(async () => {
      test = await testService(stage);
      robots = new Map();
      for (const scope of SCOPES) robots.set(scope, await robotOf(test, { scopes: [scope] }));
      revision = await test.service.services.store.revision();
    });
    afterAll(() => test.dispose());

    function robotWith(scope: Scope): Robot {
      return robots.get(scope) as Robot;
    }

    it("accepts only keys with the scope of the route", async () => {
      for (const { method, path, scope } of ROUTES) {
        for (const other of SCOPES) {
          const reply = await robotWith(other).send(method, path);
          expect([method, path, other, reply.status === 401]).toEqual([method, path, other, other !== scope]);
          if (other === scope) continue;
          expectRefusal(reply, 401, "UNAUTHORIZED");
          expect(reply.headers.get("www-authenticate")).toContain(
            (OPERATOR_SCOPES as readonly Scope[]).includes(other) ? `scope="${scope}"` : "Bearer",
          );
        }
      }
      expect(await test.service.services.store.revision()).toBe(revision);
    });

    it("returns 401 for customer keys, whatever their scopes", async () => {
      const customer = await test.operator.customer("Acme", { scopes: ["db.download", "apikeys.manage"] });
      const plain = PlainKey.generate();
      const now = test.clock.now();
      // Inserted directly, because the rules do not allow such a key.
      const [made] = await test.service.services.store.keys.list({ organizationId: customer.organizationId });
      if (!made) throw new Error("the customer has no key");
      const key = { ...made, id: newId(now), prefix: plain.prefix, scopes: [...SCOPES] };
      const secret = { hash: plain.hash(), keyId: key.id, prefix: plain.prefix, created: now, expires: null };
      await test.service.services.store.change((tables) => tables.keys.insert(key, secret));
      for (const secretKey of [customer.key, plain.reveal()]) {
        const intruder = new Robot(test.service.apiUrl, secretKey);
        for (const path of ["/organizations", "/keys", "/history", "/why?org=Acme&id=vpn_ip_v1"]) {
          expectRefusal(await intruder.get(path), 401, "UNAUTHORIZED");
        }
        expectRefusal(await intruder.post("/organizations", { name: "Mine" }), 401, "UNAUTHORIZED");
        expectRefusal(await intruder.post("/keys", { name: "mine" }), 401, "UNAUTHORIZED");
      }
    });

    it("returns 401 for missing and wrong keys, keys outside the Authorization header, and keys outside their CIDRs", async () => {
      const { key } = robotWith("operator.read");
      const url = `${test.service.apiUrl}/api/operator/organizations`;
      const elsewhere = await robotOf(test, { cidrs: ["192.0.2.0/24"] });
      expectRefusal(await call(url), 401, "UNAUTHORIZED");
      expectRefusal(await call(`${url}?apikey=${key}`), 401, "UNAUTHORIZED");
      expectRefusal(await call(url, { headers: { "x-api-key": key } }), 401, "UNAUTHORIZED");
      expectRefusal(await call(url, { headers: { authorization: `Bearer ${key}x` } }), 401, "UNAUTHORIZED");
      expectRefusal(await elsewhere.get("/organizations"), 401, "UNAUTHORIZED");
    });

    it("refuses a revoked key immediately", async () => {
      const robot = await robotOf(test);
      expect((await robot.get("/organizations")).status).toBe(200);
      await revokeKey(test.operator.operation(), robot.prefix);
      await test.operator.settle();
      expectRefusal(await robot.get("/organizations"), 401, "UNAUTHORIZED");
    });

    it("refuses a revoked key immediately on a new database", async () => {
      const fresh = await testService(stage);
      try {
        const robot = await robotOf(fresh);
        expect((await robot.get("/organizations")).status).toBe(200);
        await revokeKey(fresh.operator.operation(), robot.prefix);
        await fresh.operator.settle();
        expectRefusal(await robot.get("/organizations"), 401, "UNAUTHORIZED");
      } finally {
        await fresh.dispose();
      }
    });
  });
}
