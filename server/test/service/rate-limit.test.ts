import { describe, expect, it } from "vitest";
import { call } from "../customer.ts";
import { type Stage, stages } from "../stages.ts";
import { testService } from "../test-service.ts";

describe("the rate limit", () => {
  const [stage] = stages() as [Stage];

  it("lets a key spend its burst, then its rate: 429 RATE_LIMITED with Retry-After and RateLimit", async () => {
    const test = await testService(stage, { DBDEPOT_RATE_LIMIT: "2:5" });
    try {
      const acme = await test.operator.customer("Acme");
      const statuses = [];
      for (let i = 0; i < 7; i += 1) statuses.push((await acme.list()).status);
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
      const limited = await acme.list();
      expect(limited.json).toEqual({ rc: "RATE_LIMITED" });
      expect(limited.headers.get("retry-after")).toBe("1");
      expect(limited.headers.get("ratelimit")).toBe('"default";r=0;t=1');
      expect(limited.headers.get("ratelimit-policy")).toBe('"default";q=5;w=3');
      expect((await (await test.operator.colleague(acme)).list()).status).toBe(200);
      test.clock.advance("1 seconds");
      expect([(await acme.list()).status, (await acme.list()).status, (await acme.list()).status]).toEqual([
        200, 200, 429,
      ]);
    } finally {
      await test.dispose();
    }
  });

  it("does not count polling of metadata, and a limited attempt leaves no row", async () => {
    const test = await testService(stage, { DBDEPOT_RATE_LIMIT: "1:2" });
    try {
      const acme = await test.operator.customer("Acme");
      for (let i = 0; i < 10; i += 1) expect((await acme.metadata("nope_v1")).status).toBe(404);
      await acme.download("a", "mmdb");
      await acme.download("b", "mmdb");
      expect((await acme.download("c", "mmdb")).status).toBe(429);
      test.clock.advance("1 seconds");
      expect((await acme.history()).map(({ dataset_id }) => dataset_id)).toEqual(["b", "a"]);
    } finally {
      await test.dispose();
    }
  });

  it("slows an address down that sends refused keys, harder than a key that works", async () => {
    const test = await testService(stage, { DBDEPOT_RATE_LIMIT: "20:50" });
    try {
      const url = `${test.service.apiUrl}/api/v2/database/list`;
      const statuses = [];
      for (let i = 0; i < 8; i += 1)
        statuses.push((await call(url, { headers: { "x-api-key": `guess ${i}` } })).status);
      expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
      test.clock.advance("1 seconds");
      expect((await call(url)).status).toBe(401);
    } finally {
      await test.dispose();
    }
  });
});
