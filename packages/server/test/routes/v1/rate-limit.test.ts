import { describe, expect, it } from "vitest";
import { call, expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { type Stage, stages } from "../../../../../rigs/harness/service/stages.ts";
import { testService } from "../../../../../rigs/harness/service/test-service.ts";
import { legacyKeyOf } from "./legacy-customer.ts";

describe("Rate limit on v1", () => {
  const [stage] = stages() as [Stage];

  it("returns 429 RATE_LIMITED with Retry-After once a key has used up its burst, without affecting other keys", async () => {
    const test = await testService(stage, { DBDEPOT_RATE_LIMIT: "1:3" });
    try {
      await test.operator.addDatabase("vpn_ip_v1");
      const legacy = await legacyKeyOf(test, undefined, ["vpn_ip_v1"]);
      for (let i = 0; i < 3; i += 1) expectRefusal(await legacy.metadata("vpn_ip_v1"), 404, "DB_NOT_FOUND");
      const limited = await legacy.download("vpn_ip_v1", "mmdb");
      expectRefusal(limited, 429, "RATE_LIMITED");
      expect(limited.headers.get("retry-after")).toBe("1");
      expect(await test.service.services.store.attempts.list({ limit: 1 })).toEqual([]);
      const other = await legacyKeyOf(test, undefined, ["vpn_ip_v1"]);
      expect((await other.metadata("vpn_ip_v1")).status).toBe(404);
      test.clock.advance("1 seconds");
      expect((await legacy.metadata("vpn_ip_v1")).status).toBe(404);
    } finally {
      await test.dispose();
    }
  });

  it("limits an IP address that guesses UUIDs", async () => {
    const test = await testService(stage, { DBDEPOT_RATE_LIMIT: "20:50" });
    try {
      const guess = async (i: number) => {
        const uuid = `00000000-0000-4000-8000-00000000000${i}`;
        return (await call(`${test.service.apiUrl}/api/v1/database/metadata?id=x_v1&apikey=${uuid}`)).status;
      };
      const statuses = [];
      for (let i = 0; i < 7; i += 1) statuses.push(await guess(i));
      expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
    } finally {
      await test.dispose();
    }
  });
});
