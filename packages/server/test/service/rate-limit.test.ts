import { describe, expect, it } from "vitest";
import { call } from "../../../../rigs/harness/service/customer.ts";
import { type Stage, stages } from "../../../../rigs/harness/service/stages.ts";
import { testService } from "../../../../rigs/harness/service/test-service.ts";

const UNKNOWN_UUID = "00000000-0000-4000-8000-000000000000";

describe("Rate limit", () => {
  const [stage] = stages() as [Stage];

  it("returns 429 RATE_LIMITED with Retry-After and RateLimit once a key has used up its burst", async () => {
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

  it("does not count metadata requests, and limited downloads do not appear in the history", async () => {
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

  it("counts requests for older builds and manifests, which may need the database", async () => {
    const test = await testService(stage, { DBDEPOT_RATE_LIMIT: "1:4" });
    try {
      const acme = await test.operator.customer("Acme");
      const statuses = [];
      for (const path of [
        "metadata?id=a&build=b",
        "metadata?id=a&build=",
        "manifest?id=a&sequence=1",
        "manifest?id=a&build=b",
      ]) {
        statuses.push((await acme.get(`/api/v2/database/${path}`)).status);
      }
      expect(statuses).toEqual([404, 404, 404, 404]);
      expect((await acme.metadata("a&build=b")).status).toBe(429);
      expect((await acme.metadata("a")).status).toBe(404);
      expect((await acme.get("/api/v2/database/manifest?id=a")).status).toBe(404);
    } finally {
      await test.dispose();
    }
  });

  it("limits an IP address that sends unknown keys to a tenth of a key's limit", async () => {
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

  it("does not limit valid keys because of unknown keys from the same IP address", async () => {
    const test = await testService(stage, { DBDEPOT_RATE_LIMIT: "1:10" });
    try {
      const acme = await test.operator.customer("Acme");
      await test.operator.addDatabase("vpn_ip_v1");
      const { uuid } = await test.operator.legacyCustomer(["vpn_ip_v1"]);
      const url = test.service.apiUrl;
      const guess = () => call(`${url}/api/v2/database/list`, { headers: { "x-api-key": "guess" } });
      for (let i = 0; i < 5; i += 1) await guess();
      expect((await guess()).status).toBe(429);
      expect((await call(`${url}/api/v1/database/metadata?id=x&apikey=${UNKNOWN_UUID}`)).status).toBe(429);
      expect((await acme.list()).status).toBe(200);
      expect((await acme.metadata("vpn_ip_v1")).status).toBe(403);
      expect((await call(`${url}/api/v1/database/metadata?id=vpn_ip_v1&apikey=${uuid}`)).status).toBe(404);
    } finally {
      await test.dispose();
    }
  });

  it("limits a known key without the scope separately from other keys and from its IP address", async () => {
    const test = await testService(stage, { DBDEPOT_RATE_LIMIT: "1:3" });
    try {
      const acme = await test.operator.customer("Acme", { scopes: [] });
      const colleague = await test.operator.colleague(acme);
      const statuses = [];
      for (let i = 0; i < 5; i += 1) statuses.push((await acme.list()).status);
      expect(statuses).toEqual([401, 401, 401, 429, 429]);
      expect((await colleague.list()).status).toBe(200);
      expect((await call(`${acme.apiUrl}/api/v2/database/list`)).status).toBe(401);
    } finally {
      await test.dispose();
    }
  });

  it("counts all IPv6 addresses of a /64 together and other networks separately", async () => {
    const test = await testService(stage, { DBDEPOT_RATE_LIMIT: "1:10", DBDEPOT_TRUSTED_PROXIES: "127.0.0.0/8" });
    try {
      const statusFrom = async (address: string) => {
        const headers = { "x-forwarded-for": address };
        return (await call(`${test.service.apiUrl}/api/v2/database/list`, { headers })).status;
      };
      expect(await statusFrom("2001:db8:1:2::1")).toBe(401);
      expect(await statusFrom("2001:db8:1:2:ffff::2")).toBe(429);
      expect(await statusFrom("2001:db8:1:3::1")).toBe(401);
      expect(await statusFrom("192.0.2.1")).toBe(401);
      expect(await statusFrom("::ffff:192.0.2.1")).toBe(429);
      expect(await statusFrom("192.0.2.2")).toBe(401);
      expect([await statusFrom("nonsense"), await statusFrom("more nonsense")]).toEqual([401, 429]);
    } finally {
      await test.dispose();
    }
  });
});
