import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Customer, call, expectRefusal, type Reply } from "../../../../../rigs/harness/service/customer.ts";
import { stages } from "../../../../../rigs/harness/service/stages.ts";
import {
  checksumsOf,
  fileBytes,
  type TestService,
  testService,
} from "../../../../../rigs/harness/service/test-service.ts";

for (const stage of stages()) {
  describe(`GET /api/v2/database/download on ${stage.name}`, () => {
    let test: TestService;
    let acme: Customer;

    beforeAll(async () => {
      test = await testService(stage, { DBDEPOT_LINK_TTL_SECONDS: "30" });
      const { operator } = test;
      acme = await operator.customer("Acme");
      for (const id of ["vpn_ip_v1", "bogon_ip_v1", "tor_ip_v1"]) await operator.addDatabase(id);
      await operator.addDatabase("hosting_provider_v1", { formats: ["csvgz"] });
      await operator.addDatabase("secret_ip_v1", { visibility: "private" });
      for (const base of ["vpn_ip", "tor_ip", "hosting_provider"]) {
        await operator.grant("Acme", base, { starts: new Date(0) });
      }
      for (const id of ["vpn_ip_v1", "hosting_provider_v1", "secret_ip_v1"]) await operator.publish(id);
    });
    afterAll(() => test.dispose());

    const follow = (reply: Reply, init: RequestInit = {}) => call(reply.headers.get("location") ?? "", init);

    it("redirects to a presigned link on another origin, without a body", async () => {
      const reply = await acme.download("vpn_ip_v1", "mmdb");
      expect(reply.status).toBe(302);
      expect(reply.text).toBe("");
      const link = new URL(reply.headers.get("location") ?? "");
      expect(link.origin).not.toBe(new URL(acme.apiUrl).origin);
      expect(link.searchParams.get("X-Amz-Signature")).toMatch(/^[0-9a-f]{64}$/);
      expect(link.searchParams.get("response-content-disposition")).toBe('attachment; filename="vpn_ip_v1.mmdb"');
      expect(link.href).not.toContain(acme.key);
      expect(reply.headers.get("cache-control")).toBe("no-store");
    });

    for (const [format, name, type] of [
      ["csvgz", "vpn_ip_v1.csv.gz", "application/gzip"],
      ["mmdb", "vpn_ip_v1.mmdb", "application/octet-stream"],
    ] as const) {
      it(`links to the ${format} file without requiring extra request headers`, async () => {
        const file = await fetch((await acme.download("vpn_ip_v1", format)).headers.get("location") ?? "");
        expect(file.status).toBe(200);
        expect(Buffer.from(await file.arrayBuffer())).toEqual(fileBytes(format, "content of vpn_ip_v1"));
        expect(file.headers.get("content-disposition")).toBe(`attachment; filename="${name}"`);
        expect(file.headers.get("content-type")).toBe(type);
      });
    }

    it("sends the same digest, ETag and build id as the checksum endpoint", async () => {
      const reply = await acme.download("vpn_ip_v1", "mmdb");
      const { sha256 } = checksumsOf(fileBytes("mmdb", "content of vpn_ip_v1"));
      expect(reply.headers.get("repr-digest")).toBe(`sha-256=:${Buffer.from(sha256, "hex").toString("base64")}:`);
      expect(reply.headers.get("etag")).toBe(`"${sha256}"`);
      const checksum = await acme.checksum("vpn_ip_v1", "mmdb");
      expect(reply.headers.get("x-build-id")).toBe(checksum.headers.get("x-build-id"));
      expect(checksum.json.checksums.sha256).toBe(sha256);
    });

    it("returns 400 INVALID_FORMAT for a missing or unsupported format before it looks up the id", async () => {
      for (const query of ["id=vpn_ip_v1", "id=vpn_ip_v1&format=", "id=vpn_ip_v1&format=CSVGZ", "id=none&format=zip"]) {
        expectRefusal(await acme.get(`/api/v2/database/download?${query}`), 400, "INVALID_FORMAT");
      }
    });

    it("returns the same 404 UNKNOWN_DATASET for unknown ids, family names and versions of private families", async () => {
      const replies = [];
      for (const id of ["nope_v1", "vpn_ip", "vpn_ip_v2", "", "vpn-ip_v1", "x".repeat(500), "secret_ip_v1"]) {
        replies.push(await acme.download(id, "mmdb"));
      }
      replies.push(await acme.get("/api/v2/database/download?format=mmdb"));
      for (const reply of replies) expectRefusal(reply, 404, "UNKNOWN_DATASET");
      const headerNames = replies.map(({ headers }) => [...headers.keys()].join());
      expect(new Set(headerNames).size).toBe(1);
    });

    it("returns 403 NOT_LICENSED before it checks whether the version is built in the format", async () => {
      expectRefusal(await acme.download("bogon_ip_v1", "csvgz"), 403, "NOT_LICENSED");
      const other = await test.operator.customer("Other");
      expectRefusal(await other.download("hosting_provider_v1", "mmdb"), 403, "NOT_LICENSED");
    });

    it("returns 400 INVALID_FORMAT if the version is not built in the format", async () => {
      expectRefusal(await acme.download("hosting_provider_v1", "mmdb"), 400, "INVALID_FORMAT");
      expect((await acme.download("hosting_provider_v1", "csvgz")).status).toBe(302);
    });

    it("returns 503 NOT_AVAILABLE with Retry-After if no build is published", async () => {
      const reply = await acme.download("tor_ip_v1", "mmdb");
      expectRefusal(reply, 503, "NOT_AVAILABLE");
      expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0);
    });

    it("serves a pinned build after a newer one is published and returns 404 UNKNOWN_BUILD for other ids", async () => {
      const old = (await acme.download("vpn_ip_v1", "mmdb")).headers.get("x-build-id") ?? "";
      const build = await test.operator.publish("vpn_ip_v1", "a newer content");
      expect((await acme.download("vpn_ip_v1", "mmdb")).headers.get("x-build-id")).toBe(build.id);
      const pinned = await acme.download("vpn_ip_v1", "mmdb", `&build=${old}`);
      expect((await follow(pinned)).text).toBe(fileBytes("mmdb", "content of vpn_ip_v1").toString());
      expect(pinned.headers.get("x-build-id")).toBe(old);
      for (const id of ["nope", old.replace(/.$/, (last) => (last === "0" ? "1" : "0")), `${old}&build=${old}`]) {
        expectRefusal(await acme.download("vpn_ip_v1", "mmdb", `&build=${id}`), 404, "UNKNOWN_BUILD");
      }
      expectRefusal(await acme.download("hosting_provider_v1", "csvgz", `&build=${old}`), 404, "UNKNOWN_BUILD");
    });

    it("creates links that cannot start a transfer after they expire", async () => {
      // The object storage uses the real time, so the link is created in the past.
      test.clock.advance("-91 seconds");
      const expired = await acme.download("vpn_ip_v1", "mmdb");
      test.clock.advance("91 seconds");
      expect((await follow(expired)).status).toBe(403);
      expect((await follow(await acme.download("vpn_ip_v1", "mmdb"))).status).toBe(200);
    });

    it.each(["30", "900", "86400"])("backdates a link with a lifetime of %s s by one minute", async (lifetime) => {
      const other = await testService(stage, { DBDEPOT_LINK_TTL_SECONDS: lifetime });
      const customer = await other.operator.customer("Acme");
      await other.operator.addDatabase("vpn_ip_v1");
      await other.operator.grant("Acme", "vpn_ip", { starts: new Date(0) });
      await other.operator.publish("vpn_ip_v1");
      const link = new URL((await customer.download("vpn_ip_v1", "mmdb")).headers.get("location") ?? "");
      const dated = new Date(other.clock.now().getTime() - 60_000).toISOString().slice(0, 19);
      expect(link.searchParams.get("X-Amz-Date")).toBe(`${dated.replaceAll(/[-:]/g, "")}Z`);
      expect(link.searchParams.get("X-Amz-Expires")).toBe(String(Number(lifetime) + 60));
      await other.dispose();
    });

    it("sends the whole file or a range itself with delivery=stream", async () => {
      const whole = await acme.download("vpn_ip_v1", "mmdb", "&delivery=stream");
      expect(whole.status).toBe(200);
      expect(whole.text).toBe(fileBytes("mmdb", "a newer content").toString());
      expect(whole.headers.get("content-disposition")).toBe('attachment; filename="vpn_ip_v1.mmdb"');
      const path = "/api/v2/database/download?id=vpn_ip_v1&format=mmdb&delivery=stream";
      const part = await acme.get(path, { range: "bytes=5-", "if-range": whole.headers.get("etag") ?? "" });
      expect([part.status, part.text]).toEqual([206, whole.text.slice(5)]);
      const changed = await acme.get(path, { range: "bytes=5-", "if-range": '"another"' });
      expect([changed.status, changed.text]).toEqual([200, whole.text]);
      expect((await acme.get(path, { range: "bytes=900-" })).status).toBe(416);
    });

    it("responds to HEAD with a link and records the attempt", async () => {
      const before = (await acme.history()).length;
      const reply = await call(`${acme.apiUrl}/api/v2/database/download?id=vpn_ip_v1&format=mmdb`, {
        method: "HEAD",
        headers: { "x-api-key": acme.key },
      });
      expect([reply.status, reply.headers.has("location")]).toEqual([302, true]);
      expect(await acme.history()).toHaveLength(before + 1);
    });

    it("returns 403 LICENSE_EXPIRED after the licence ends", async () => {
      const licence = await test.operator.grant("Acme", "bogon_ip", {
        expires: new Date(test.clock.now().getTime() + 86_400_000),
      });
      expect(licence).toBeDefined();
      expectRefusal(await acme.download("bogon_ip_v1", "mmdb"), 503, "NOT_AVAILABLE");
      test.clock.advance("1 days");
      expectRefusal(await acme.download("bogon_ip_v1", "mmdb"), 403, "LICENSE_EXPIRED");
      test.clock.advance("-1 days");
    });
  });
}
