import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { LimitList, type LimitName } from "@dbdepot/contract/v2/limits";
import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Customer, expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { fileBytes, type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { updateFamily } from "../../../src/domain/catalogue/catalogue.ts";
import type { Limits } from "../../../src/domain/limits/limits.ts";
import { dayPeriod, monthPeriod } from "../../../src/domain/limits/limits.ts";
import { updateOrganization } from "../../../src/domain/organizations/organizations.ts";
import { startService } from "../../../src/service/service.ts";
import { command, expectError, type Robot, robotOf } from "../operator/robot.ts";
import { type LegacyCustomer, legacyKeyOf } from "../v1/legacy-customer.ts";

const SIZE = fileBytes("mmdb", "content of vpn_ip_v1").length;
const LARGE = "0123456789abcdef".repeat(2 ** 20);

for (const stage of eitherStage()) {
  describe(`limits of organizations on ${stage.name}`, () => {
    let test: TestService;
    let robot: Robot;
    let count = 0;
    beforeAll(async () => {
      test = await testService(stage);
      robot = await robotOf(test);
      for (const id of ["vpn_ip_v1", "open_ip_v1", "large_ip_v1"]) await test.operator.addDatabase(id);
      await updateFamily(test.operator.operation(), "open_ip", { open: true });
      await test.operator.publish("vpn_ip_v1", undefined, ["mmdb"]);
      await test.operator.publish("open_ip_v1");
      await test.operator.publish("large_ip_v1", LARGE);
    });
    afterAll(() => test.dispose());

    /** A new customer with these limits, who may download `vpn_ip_v1`. */
    async function limited(limits: Partial<Limits>): Promise<Customer & { name: string; legacy: LegacyCustomer }> {
      count += 1;
      const name = `Acme ${count}`;
      const customer = await test.operator.customer(name);
      await updateOrganization(test.operator.operation(), name, { limits });
      for (const base of ["vpn_ip", "large_ip"]) await test.operator.grant(name, base);
      const legacy = await legacyKeyOf(test, name, ["vpn_ip_v1", "large_ip_v1"]);
      return Object.assign(customer, { name, legacy });
    }

    const mmdb = (customer: Customer, more = "") => customer.download("vpn_ip_v1", "mmdb", more);
    const secondsUntil = (end: Date) => String(Math.ceil((end.getTime() - test.clock.now().getTime()) / 1000));

    it("returns 429 DOWNLOADS_USED_UP until the day ends, and records the refusal", async () => {
      const acme = await limited({ downloads_per_day: 3 });
      expect((await mmdb(acme)).status).toBe(302);
      expect((await mmdb(acme, "&delivery=stream")).status).toBe(200);
      expect((await acme.legacy.download("vpn_ip_v1", "mmdb")).status).toBe(200);
      const refused = await mmdb(acme);
      expectRefusal(refused, 429, "DOWNLOADS_USED_UP");
      expect(refused.headers.get("retry-after")).toBe(secondsUntil(dayPeriod(test.clock.now()).end));
      expectRefusal(await mmdb(acme, "&delivery=stream"), 429, "DOWNLOADS_USED_UP");
      expectRefusal(await acme.legacy.download("vpn_ip_v1", "mmdb"), 429, "DOWNLOADS_USED_UP");
      const geoip = await acme.get("/geoip/databases/vpn_ip_v1/update");
      expect(geoip.json).toMatchObject({
        rc: "DOWNLOADS_USED_UP",
        error: expect.stringContaining("after midnight UTC"),
      });
      expect(geoip.headers.get("content-disposition")).toBeNull();
      const [last] = await test.service.services.store.attempts.list({ organizationId: acme.organizationId, limit: 1 });
      expect(last).toMatchObject({ outcome: "unavailable", cause: "downloads_used_up", httpStatus: 429, bytes: null });
      expect((await test.service.services.metrics.limitRefusals.get()).values).toContainEqual(
        expect.objectContaining({ labels: { limit: "downloads_per_day" } }),
      );
    });

    it("does not count refusals, samples, checksums, metadata, 304 and the rest of an interrupted transfer", async () => {
      const acme = await limited({ downloads_per_day: 1 });
      const etag = (await acme.metadata("vpn_ip_v1")).status === 200 ? (await mmdb(acme)).headers.get("etag") : "";
      expect((await mmdb(acme)).status).toBe(429);
      const stream = "/api/v2/database/download?id=vpn_ip_v1&format=mmdb&delivery=stream";
      expect((await acme.get(stream, { range: "bytes=3-" })).status).toBe(206);
      expect((await acme.get(stream, { "if-none-match": etag ?? "" })).status).toBe(304);
      expect((await mmdb(acme, "&sample=true")).status).toBe(302);
      expect((await acme.checksum("vpn_ip_v1", "mmdb")).status).toBe(200);
      expectRefusal(await acme.download("vpn_ip_v2", "mmdb"), 404, "UNKNOWN_DATASET");
      expectRefusal(await acme.download("open_ip_v1", "mmdb"), 429, "DOWNLOADS_USED_UP");
      expect((await limitsOf(acme))[0]).toMatchObject({ used: 1 });
    });

    it("counts a part that begins with the first byte, as of a download in several parts", async () => {
      const acme = await limited({ downloads_per_day: 3 });
      const stream = "/api/v2/database/download?id=vpn_ip_v1&format=mmdb&delivery=stream";
      for (const range of ["bytes=0-", "bytes=5-", "bytes=0-3"]) {
        expect((await acme.get(stream, { range })).status).toBe(206);
      }
      const legacy = acme.legacy.url("download", { id: "vpn_ip_v1", format: "mmdb" });
      expect((await fetch(legacy, { headers: { range: "bytes=0-" } })).status).toBe(206);
      expectRefusal(await acme.get(stream, { range: "bytes=0-" }), 429, "DOWNLOADS_USED_UP");
      expect((await acme.get(stream, { range: "bytes=5-" })).status).toBe(206);
      // Counted from the history, as after a restart.
      expect((await limitsOf(acme))[0]).toMatchObject({ used: 3 });
    });

    it("returns 429 BYTES_USED_UP for a file that is larger than the remaining bytes of the month", async () => {
      const acme = await limited({ bytes_per_month: 2 * SIZE + 1 });
      expect([(await mmdb(acme)).status, (await mmdb(acme)).status]).toEqual([302, 302]);
      const refused = await mmdb(acme);
      expectRefusal(refused, 429, "BYTES_USED_UP");
      expect(refused.headers.get("retry-after")).toBe(secondsUntil(monthPeriod(test.clock.now()).end));
    });

    it("returns 429 RATE_LIMITED for requests of all keys together, but not for polls", async () => {
      const acme = await limited({ requests_per_minute: 3 });
      const colleague = await test.operator.colleague(acme);
      const refused = await test.operator.colleague(acme, { scopes: [] });
      for (let i = 0; i < 5; i += 1) expect((await refused.list()).status).toBe(401);
      expect([(await acme.list()).status, (await colleague.list()).status]).toEqual([200, 200]);
      expect((await acme.legacy.metadata("vpn_ip_v1")).status).toBe(200);
      const limitedReply = await colleague.list();
      expectRefusal(limitedReply, 429, "RATE_LIMITED");
      expect(limitedReply.headers.get("retry-after")).toBe("20");
      expect((await acme.metadata("vpn_ip_v1")).status).toBe(200);
      test.clock.advance("20 seconds");
      expect([(await acme.list()).status, (await acme.list()).status]).toEqual([200, 429]);
    });

    it("returns 429 TOO_MANY_STREAMS until a stream ends, also if the client disconnects", async () => {
      const acme = await limited({ parallel_streams: 2 });
      const sockets = [acme.legacy.url("download", { id: "large_ip_v1", format: "mmdb" }), streamUrl(acme)].map(open);
      for (const socket of sockets) await once(socket, "readable");
      const refused = await acme.get(new URL(streamUrl(acme)).pathname + new URL(streamUrl(acme)).search);
      expectRefusal(refused, 429, "TOO_MANY_STREAMS");
      expect(refused.headers.get("retry-after")).toBe("10");
      expect((await acme.download("large_ip_v1", "mmdb")).status).toBe(302);
      expect((await limitsOf(acme))[0]).toEqual({ limit: "parallel_streams", allowed: 2, used: 2, resets: null });
      sockets[0]?.destroy();
      await expect.poll(async () => (await limitsOf(acme))[0]?.used).toBe(1);
      expect((await mmdb(acme, "&delivery=stream")).status).toBe(200);
      sockets[1]?.destroy();
      await expect.poll(() => test.service.services.limits.streamsOf(acme.organizationId)).toBe(0);
    });

    it("agrees with another process within a refresh, and keeps the count after a restart", async () => {
      const acme = await limited({ downloads_per_day: 6 });
      const replica = await startService(test.stage.settings, { clock: test.clock.now });
      try {
        const there = new Customer(replica.apiUrl, acme.key, acme);
        for (let i = 0; i < 3; i += 1)
          expect([(await mmdb(acme)).status, (await mmdb(there)).status]).toEqual([302, 302]);
        await test.service.services.limits.refresh();
        expect((await mmdb(acme)).status).toBe(429);
        await replica.services.limits.refresh();
        expect((await mmdb(there)).status).toBe(429);
      } finally {
        await replica.close();
      }
      const restarted = await startService(test.stage.settings, { clock: test.clock.now });
      try {
        expect((await mmdb(new Customer(restarted.apiUrl, acme.key, acme))).status).toBe(429);
      } finally {
        await restarted.close();
      }
    });

    it.each([12, 150])("grants exactly %d downloads of a burst on two servers", async (allowed) => {
      const acme = await limited({ downloads_per_day: allowed });
      const replica = await startService(test.stage.settings, { clock: test.clock.now });
      try {
        const there = new Customer(replica.apiUrl, acme.key, acme);
        const burst = Array.from({ length: allowed }, () => [mmdb(acme), mmdb(there)]).flat();
        const statuses = (await Promise.all(burst)).map(({ status }) => status);
        expect(statuses.filter((status) => status === 302)).toHaveLength(allowed);
        expect(statuses.filter((status) => status === 429)).toHaveLength(allowed);
        expect((await limitsOf(acme))[0]).toMatchObject({ used: allowed });
      } finally {
        await replica.close();
      }
    });

    it("announces limit.near once at 80 % to the organization", async () => {
      const acme = await limited({ downloads_per_day: 5 });
      const { store } = test.service.services;
      const before = await store.events.latest();
      const near = async () =>
        (await store.events.after(before, 10)).filter(
          ({ type, organizationId }) => type === "limit.near" && organizationId === acme.organizationId,
        );
      for (let i = 0; i < 3; i += 1) await mmdb(acme);
      expect(await near()).toEqual([]);
      await mmdb(acme);
      const resets = dayPeriod(test.clock.now()).end.toISOString();
      await expect
        .poll(near)
        .toMatchObject([
          { organizationId: acme.organizationId, data: { limit: "downloads_per_day", used: 4, allowed: 5, resets } },
        ]);
      await mmdb(acme);
      await test.service.services.limits.refresh();
      expect(await near()).toHaveLength(1);
    });

    it("are set and shown by the operator API and the command, and audited", async () => {
      const acme = await limited({});
      const url = `/organizations/${acme.organizationId}`;
      const none = {
        requests_per_minute: null,
        downloads_per_day: null,
        bytes_per_month: null,
        parallel_streams: null,
      };
      expect(await robot.request("GET", url)).toMatchObject({ limits: none });
      expect(await limitsOf(acme)).toEqual([]);
      const limits = { downloads_per_day: 2, bytes_per_month: 1_500_000_000 };
      expect(await robot.request("PATCH", url, { limits })).toMatchObject({ limits: { ...none, ...limits } });
      await mmdb(acme);
      const { end } = dayPeriod(test.clock.now());
      const uses = [
        { limit: "downloads_per_day", allowed: 2, used: 1, resets: end.toISOString() },
        { limit: "bytes_per_month", allowed: 1_500_000_000, used: SIZE, resets: expect.any(String) },
      ];
      expect(await limitsOf(acme)).toEqual(uses);
      expect(await robot.request("GET", `${url}/limits`)).toEqual({ limits: uses });
      expect(await command(test, "orgs", "limits", acme.name)).toEqual(uses);
      const [entry] = await test.service.services.store.audit.list({ subjects: [acme.organizationId], limit: 1 });
      expect(entry).toMatchObject({
        action: "organization.limits_changed",
        before: { name: acme.name, ...none },
        after: { name: acme.name, ...none, ...limits },
      });
      const argv = ["orgs", "limits", acme.name, "--downloads-per-day", "none", "--bytes-per-month", "2TB"];
      expect(await command(test, ...argv)).toMatchObject([{ limit: "bytes_per_month", allowed: 2e12 }]);
      for (const value of [0, -1, 1.5, 1e16, "3"]) {
        const refused = await robot.send("PATCH", url, { limits: { downloads_per_day: value } });
        expectError(refused, 400, "INVALID_REQUEST", /downloads_per_day|limits/);
      }
    });

    it("are explained by why, with numbers and the time they end", async () => {
      const acme = await limited({ downloads_per_day: 1, bytes_per_month: 5_000_000_000 });
      const why = (more = "") => robot.request("GET", `/why?org=${encodeURIComponent(acme.name)}&id=vpn_ip_v1${more}`);
      expect(await why()).toMatchObject({
        granted: true,
        steps: expect.arrayContaining([{ name: "limits", result: "passed" }]),
      });
      await mmdb(acme);
      const refused = await mmdb(acme);
      const { end } = dayPeriod(test.clock.now());
      expect(await why()).toMatchObject({
        granted: false,
        status: 429,
        rc: "DOWNLOADS_USED_UP",
        reason: `the organization has used all its downloads for the day: 1 of 1 downloads today, until ${end.toISOString()}`,
        facts: expect.arrayContaining([
          { name: "limits", finding: `1 of 1 downloads today, ${SIZE} B of 5 GB this month` },
        ]),
        steps: expect.arrayContaining([{ name: "limits", result: "failed" }]),
      });
      expect(await why("&sample=true&format=mmdb")).toMatchObject({ granted: true });
      const byRequest = await robot.request<{ facts: { finding: string }[] }>(
        "GET",
        `/why?request=${refused.headers.get("x-request-id")}`,
      );
      expect(byRequest.facts[0]?.finding).toContain("has used all its downloads for the day");
    });

    async function limitsOf(customer: Customer): Promise<{ limit: LimitName; used: number | null }[]> {
      const reply = await customer.get("/api/v2/database/limits");
      expect(Value.Check(LimitList, reply.json)).toBe(true);
      return reply.json.limits;
    }

    function streamUrl({ apiUrl, key }: Customer): string {
      return `${apiUrl}/api/v2/database/download?id=large_ip_v1&format=mmdb&delivery=stream&apikey=${key}`;
    }

    // The last test, because commands use the time of the system.
    it("counts a later part as a download unless it continues one of the last 24 hours", async () => {
      const acme = await limited({ downloads_per_day: 2 });
      const status = async (path: string) => (await acme.get(path, { range: "bytes=1-" })).status;
      const stream = "/api/v2/database/download?id=vpn_ip_v1&format=mmdb&delivery=stream";
      const other = stream.replace("vpn_ip_v1", "large_ip_v1");
      expect([await status(stream), await status(stream)]).toEqual([206, 206]);
      expect((await limitsOf(acme))[0]).toMatchObject({ used: 1 });
      const legacy = acme.legacy.url("download", { id: "large_ip_v1", format: "mmdb" });
      expect((await fetch(legacy, { headers: { range: "bytes=1-3" } })).status).toBe(206);
      expect((await acme.get(other, { range: "bytes=4-9" })).status).toBe(206);
      expect(await status(stream.replace("mmdb", "csvgz"))).toBe(429);
      expect(await status(stream.replace("vpn_ip", "open_ip"))).toBe(429);
      expect((await limitsOf(acme))[0]).toMatchObject({ used: 2 });
      test.clock.advance("2 days");
      expect([await status(stream), await status(stream)]).toEqual([206, 206]);
      expect((await limitsOf(acme))[0]).toMatchObject({ used: 1 });
    });
  });
}

/** Starts a download and reads nothing of it. */
function open(address: string): Socket {
  const url = new URL(address);
  const socket = connect(Number(url.port), url.hostname);
  socket.on("error", () => {});
  socket.write(`GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`);
  return socket;
}
