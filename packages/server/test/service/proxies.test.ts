import { once } from "node:events";
import { get } from "node:http";
import { describe, expect, it } from "vitest";
import { type Stage, stages } from "../../../../rigs/harness/service/stages.ts";
import { testService } from "../../../../rigs/harness/service/test-service.ts";

async function recordedAddress(
  stage: Stage,
  settings: Record<string, string>,
  forwarded: string,
): Promise<string | null> {
  const test = await testService(stage, settings);
  try {
    const acme = await test.operator.customer("Acme");
    const path = "/api/v2/database/download?id=x&format=mmdb";
    await acme.get(path, { "x-forwarded-for": forwarded });
    return (await acme.history())[0]?.client_ip ?? null;
  } finally {
    await test.dispose();
  }
}

describe("Client IP address", () => {
  const [stage] = stages() as [Stage];

  it("is the peer's address if the peer is not a trusted proxy", async () => {
    expect(await recordedAddress(stage, {}, "203.0.113.7")).toBe("127.0.0.1");
    expect(await recordedAddress(stage, { DBDEPOT_TRUSTED_PROXIES: "10.0.0.0/8" }, "203.0.113.7")).toBe("127.0.0.1");
  });

  it("is the last address in X-Forwarded-For if the peer is a trusted proxy", async () => {
    const trusted = { DBDEPOT_TRUSTED_PROXIES: "127.0.0.0/8" };
    expect(await recordedAddress(stage, trusted, "203.0.113.7")).toBe("203.0.113.7");
    expect(await recordedAddress(stage, trusted, "198.51.100.1, 203.0.113.7")).toBe("203.0.113.7");
    expect(await recordedAddress(stage, trusted, "2001:db8::1")).toBe("2001:db8::1");
  });

  it("is recorded as invalid if a trusted proxy forwards something else", async () => {
    const trusted = { DBDEPOT_TRUSTED_PROXIES: "127.0.0.0/8" };
    for (const forwarded of ["unknown", "dbd_ABCDEFGH_0123456789abcdefghij", "x".repeat(3000), "999.1.1.1"]) {
      expect(await recordedAddress(stage, trusted, forwarded)).toBe("invalid");
    }
  });

  it("determines behind a trusted proxy whether a key is used within its CIDRs", async () => {
    const test = await testService(stage, { DBDEPOT_TRUSTED_PROXIES: "127.0.0.1/32" });
    try {
      const acme = await test.operator.customer("Acme", { cidrs: ["203.0.113.0/24"] });
      expect((await acme.get("/api/v2/database/list", { "x-forwarded-for": "203.0.113.7" })).status).toBe(200);
      expect((await acme.get("/api/v2/database/list", { "x-forwarded-for": "198.51.100.7" })).status).toBe(401);
      expect((await acme.get("/api/v2/database/list", { "x-forwarded-for": "nonsense" })).status).toBe(401);
      expect((await acme.list()).status).toBe(401);
    } finally {
      await test.dispose();
    }
  });

  it("causes no warning if a client on the proxy's own machine uses it, and still one about another sender", async () => {
    const test = await testService(stage, { DBDEPOT_TRUSTED_PROXIES: "127.0.0.1/32" });
    try {
      const acme = await test.operator.customer("Acme");
      for (const forwarded of ["127.0.0.1", "::ffff:127.0.0.1", "127.0.0.1, 127.0.0.1"]) {
        expect((await acme.get("/api/v2/database/list", { "x-forwarded-for": forwarded })).status).toBe(200);
      }
      expect(test.logs()).not.toContain("X-Forwarded-For is ignored");
      const { port } = new URL(acme.apiUrl);
      for (const localAddress of ["127.0.0.2", "127.0.0.2", "127.0.0.3"]) {
        const headers = { "x-forwarded-for": "203.0.113.7" };
        const sent = get({ host: "127.0.0.1", port, path: "/api/v2/database/list", localAddress, headers });
        const [response] = await once(sent, "response");
        response.resume();
      }
      expect(test.logs().match(/"peer":"127.0.0.\d","msg":"X-Forwarded-For is ignored/g)).toEqual([
        expect.stringContaining("127.0.0.2"),
        expect.stringContaining("127.0.0.3"),
      ]);
    } finally {
      await test.dispose();
    }
  });

  it("causes one warning if an untrusted peer sends X-Forwarded-For", async () => {
    const ignored = /X-Forwarded-For is ignored/g;
    for (const [settings, warnings] of [
      [{}, 1],
      [{ DBDEPOT_TRUSTED_PROXIES: "10.0.0.0/8" }, 1],
      [{ DBDEPOT_TRUSTED_PROXIES: "127.0.0.1/32" }, 0],
    ] as const) {
      const test = await testService(stage, settings);
      try {
        const acme = await test.operator.customer("Acme");
        await acme.list();
        expect(test.logs()).not.toMatch(ignored);
        for (const address of ["203.0.113.7", "203.0.113.8"]) {
          await acme.get("/api/v2/database/list", { "x-forwarded-for": address });
        }
        expect(test.logs().match(ignored) ?? []).toHaveLength(warnings);
      } finally {
        await test.dispose();
      }
    }
  });
});
