import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";

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

    it("returns 200 from /readyz with the state of every dependency", async () => {
      const reply = await call(`${test.service.apiUrl}/readyz`);
      expect([reply.status, reply.json]).toEqual([
        200,
        {
          status: "ready",
          database: { state: "ok" },
          storage: { state: "ok" },
          register: { age_seconds: expect.any(Number) },
          spool: { files: 0 },
        },
      ]);
    });
  });
}
