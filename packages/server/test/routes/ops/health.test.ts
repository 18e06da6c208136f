import type { Scope } from "@dbdepot/contract/shared/scopes";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { createKey } from "../../../src/domain/keys/keys.ts";
import { VERSION } from "../../../src/platform/version.ts";

for (const stage of eitherStage()) {
  describe(`health endpoints on ${stage.name}`, () => {
    let test: TestService;
    beforeAll(async () => {
      test = await testService(stage);
    });
    afterAll(() => test.dispose());

    it("returns 200 from /healthz without a key", async () => {
      const reply = await call(`${test.service.apiUrl}/healthz`);
      expect([reply.status, reply.json]).toEqual([200, { status: "ok" }]);
      expect(reply.headers.get("cache-control")).toBe("no-store");
    });

    it("tells operators which version runs, and others nothing", async () => {
      const url = `${test.service.apiUrl}/healthz`;
      const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
      const responseTo = async (scope: Scope) => {
        const terms = { name: scope, organizationId: null, scopes: [scope], cidrs: [], expires: null };
        const { plain } = await createKey(test.operator.operation(), terms);
        return (await call(url, bearer(plain.reveal()))).json;
      };
      expect(await responseTo("operator.read")).toEqual({ status: "ok", version: VERSION, commit: null });
      expect(await responseTo("builds.publish")).toEqual({ status: "ok" });
      expect((await call(url, bearer("nonsense"))).json).toEqual({ status: "ok" });
    });

    it("returns 200 from /readyz with the state of every dependency", async () => {
      const reply = await call(`${test.service.apiUrl}/readyz`);
      expect([reply.status, reply.json]).toEqual([
        200,
        {
          status: "ready",
          database: { state: "ok" },
          storage: { state: "ok" },
          history: { state: "ok" },
          register: { age_seconds: expect.any(Number) },
          spool: { files: 0 },
        },
      ]);
    });
  });
}
