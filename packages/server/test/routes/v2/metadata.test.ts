import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Customer, expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { stages } from "../../../../../rigs/harness/service/stages.ts";
import {
  checksumsOf,
  fileBytes,
  type TestService,
  testService,
} from "../../../../../rigs/harness/service/test-service.ts";
import { withdrawBuild } from "../../../src/domain/builds/rollback.ts";

for (const stage of stages()) {
  describe(`GET /api/v2/database/metadata and /checksum on ${stage.name}`, () => {
    let test: TestService;
    let acme: Customer;

    beforeAll(async () => {
      test = await testService(stage);
      const { operator } = test;
      acme = await operator.customer("Acme");
      for (const id of ["vpn_ip_v1", "bogon_ip_v1", "tor_ip_v1"]) await operator.addDatabase(id);
      for (const base of ["vpn_ip", "tor_ip"]) await operator.grant("Acme", base);
      await operator.publish("vpn_ip_v1");
    });
    afterAll(() => test.dispose());

    it("return the exporter's metadata document byte for byte", async () => {
      const reply = await acme.metadata("vpn_ip_v1");
      const build = await test.service.services.store.builds.byId(reply.headers.get("x-build-id") ?? "");
      expect(reply.status).toBe(200);
      expect(reply.text).toBe(build?.metadata.toString());
      expect(reply.headers.get("content-type")).toContain("application/json");
      const digest = createHash("sha256").update(reply.text).digest("base64");
      expect(reply.headers.get("repr-digest")).toBe(`sha-256=:${digest}:`);
    });

    it("return the checksums of the current build in each format", async () => {
      for (const format of ["csvgz", "mmdb"] as const) {
        const reply = await acme.checksum("vpn_ip_v1", format);
        const checksums = checksumsOf(fileBytes(format, "content of vpn_ip_v1"));
        expect([reply.status, reply.json]).toEqual([200, { id: "vpn_ip_v1", format, checksums }]);
      }
    });

    it("end with a newline, like the list", async () => {
      const replies = [acme.metadata("vpn_ip_v1"), acme.checksum("vpn_ip_v1", "mmdb"), acme.list()];
      for (const { status, text } of await Promise.all(replies)) {
        expect([status, text.endsWith("}\n")]).toEqual([200, true]);
      }
    });

    it("return the same errors as download, except that metadata ignores the format", async () => {
      for (const get of [(id: string) => acme.metadata(id), (id: string) => acme.checksum(id, "mmdb")]) {
        for (const id of ["nope_v1", "vpn_ip", "", "a%00b", "x".repeat(65)])
          expectRefusal(await get(id), 404, "UNKNOWN_DATASET");
        expectRefusal(await get("bogon_ip_v1"), 403, "NOT_LICENSED");
        expectRefusal(await get("tor_ip_v1"), 503, "NOT_AVAILABLE");
      }
      expectRefusal(await acme.checksum("vpn_ip_v1", "zip"), 400, "INVALID_FORMAT");
      expectRefusal(await acme.get("/api/v2/database/metadata"), 404, "UNKNOWN_DATASET");
      expect((await acme.get("/api/v2/database/metadata?id=vpn_ip_v1&format=zip")).status).toBe(200);
    });

    it("return 304 for If-None-Match and If-Modified-Since until a new build is published", async () => {
      for (const path of ["metadata?id=vpn_ip_v1", "checksum?id=vpn_ip_v1&format=csvgz"]) {
        const url = `/api/v2/database/${path}`;
        const first = await acme.get(url);
        const etag = first.headers.get("etag") ?? "";
        const lastModified = first.headers.get("last-modified") ?? "";
        for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
          const reply = await acme.get(url, { "if-none-match": tag });
          expect([reply.status, reply.text, reply.headers.get("etag")]).toEqual([304, "", etag]);
        }
        expect((await acme.get(url, { "if-none-match": '"other"' })).status).toBe(200);
        expect((await acme.get(url, { "if-modified-since": lastModified })).status).toBe(304);
        expect((await acme.get(url, { "if-modified-since": "Thu, 01 Jan 1970 00:00:00 GMT" })).status).toBe(200);
        test.clock.advance("2 seconds");
        await test.operator.publish("vpn_ip_v1", `new for ${path}`);
        expect((await acme.get(url, { "if-none-match": etag })).status).toBe(200);
        expect((await acme.get(url, { "if-modified-since": lastModified })).status).toBe(200);
      }
    });

    it("serve a pinned build, so a file can be verified after a newer one is published", async () => {
      const old = await acme.checksum("vpn_ip_v1", "mmdb");
      const pin = `&build=${old.headers.get("x-build-id")}`;
      await test.operator.publish("vpn_ip_v1", "the newest");
      expect((await acme.checksum("vpn_ip_v1", "mmdb")).json).not.toEqual(old.json);
      expect((await acme.checksum("vpn_ip_v1", "mmdb", pin)).json).toEqual(old.json);
      expect((await acme.get(`/api/v2/database/metadata?id=vpn_ip_v1${pin}`)).headers.get("etag")).toBe(
        `"${old.headers.get("x-build-id")}"`,
      );
      expectRefusal(await acme.checksum("vpn_ip_v1", "mmdb", "&build=nope"), 404, "UNKNOWN_BUILD");
    });

    const pinnedTo = (build: string) =>
      ["metadata?", "checksum?format=mmdb&", "download?format=mmdb&"].map(
        (path) => `/api/v2/database/${path}id=vpn_ip_v1&build=${build}`,
      );

    it("serve a pinned build only to licensed organizations, and only until it is withdrawn", async () => {
      const { id } = await test.operator.publish("vpn_ip_v1", "pinned");
      await test.operator.publish("vpn_ip_v1", "after it");
      const stranger = await test.operator.customer("Stranger");
      for (const url of pinnedTo(id)) {
        for (const _ of [1, 2]) expect((await acme.get(url)).headers.get("x-build-id")).toBe(id);
        expectRefusal(await stranger.get(url), 403, "NOT_LICENSED");
      }
      await withdrawBuild(test.operator.operation(), id);
      await test.operator.settle();
      for (const url of pinnedTo(id)) expectRefusal(await acme.get(url), 404, "UNKNOWN_BUILD");
    });

    it("do not cache a pinned build that is withdrawn during the lookup", async () => {
      const { register } = test.service.services;
      for (const [number] of pinnedTo("").entries()) {
        const { id } = await test.operator.publish("vpn_ip_v1", `withdrawn ${number}`);
        await test.operator.publish("vpn_ip_v1", `after ${number}`);
        const url = pinnedTo(id)[number] ?? "";
        const { pinnedBuild } = register;
        register.pinnedBuild = async (...args) => {
          register.pinnedBuild = pinnedBuild;
          const build = await register.pinnedBuild(...args);
          await withdrawBuild(test.operator.operation(), id);
          await test.operator.settle();
          // A concurrent request already sees the withdrawal.
          expectRefusal(await acme.get(url), 404, "UNKNOWN_BUILD");
          return build;
        };
        expect((await acme.get(url)).headers.get("x-build-id")).toBe(id);
        expectRefusal(await acme.get(url), 404, "UNKNOWN_BUILD");
      }
    });
  });
}
