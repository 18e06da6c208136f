import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { stages } from "../../../../../rigs/harness/service/stages.ts";
import {
  checksumsOf,
  fileBytes,
  type TestService,
  testService,
} from "../../../../../rigs/harness/service/test-service.ts";
import { type LegacyCustomer, type V1Fixture, v1Fixture } from "./legacy-customer.ts";

const FILE = fileBytes("mmdb", "content of vpn_ip_v1");

for (const stage of stages()) {
  describe(`GET /api/v1/database/download on ${stage.name} (interface 4.2)`, () => {
    let test: TestService;
    let fixture: V1Fixture;
    let legacy: LegacyCustomer;

    beforeAll(async () => {
      test = await testService(stage);
      fixture = await v1Fixture(test);
      legacy = fixture.legacy;
    });
    afterAll(() => test.dispose());

    const range = (value: string, more: Record<string, string> = {}) =>
      legacy.download("vpn_ip_v1", "mmdb", { headers: { range: value, ...more } });

    for (const [format, name, type] of [
      ["csvgz", "vpn_ip_v1.csv.gz", "application/gzip"],
      ["mmdb", "vpn_ip_v1.mmdb", "application/octet-stream"],
    ] as const) {
      it(`returns the ${format} file with its Content-Type, and its name in Content-Disposition`, async () => {
        const reply = await fetch(legacy.url("download", { id: "vpn_ip_v1", format }), { redirect: "error" });
        const bytes = Buffer.from(await reply.arrayBuffer());
        expect(reply.status).toBe(200);
        expect(bytes).toEqual(fileBytes(format, "content of vpn_ip_v1"));
        expect(reply.headers.get("content-type")).toBe(type);
        expect(reply.headers.get("content-disposition")).toBe(`attachment; filename="${name}"`);
        expect(reply.headers.get("content-length")).toBe(String(bytes.length));
        expect(reply.headers.get("accept-ranges")).toBe("bytes");
        expect(reply.headers.get("etag")).toBe(`"${checksumsOf(bytes).sha256}"`);
        expect(reply.headers.get("x-request-id")).toMatch(/\S/);
      });
    }

    it("needs no licence if the database is in the key's list", async () => {
      expect((await fixture.admin.list()).json.databases[0].standing).toBe("unlicensed");
      expect((await legacy.download("vpn_ip_v1", "mmdb")).status).toBe(200);
    });

    it("responds to HEAD with the headers of GET and no body", async () => {
      const reply = await legacy.download("vpn_ip_v1", "mmdb", { method: "HEAD" });
      expect([reply.status, reply.text]).toEqual([200, ""]);
      expect(reply.headers.get("content-length")).toBe(String(FILE.length));
      expect(reply.headers.get("content-disposition")).toBe('attachment; filename="vpn_ip_v1.mmdb"');
    });

    it("returns 206 for a single range at the start, in the middle and at the end", async () => {
      for (const [value, first, last] of [
        ["bytes=0-3", 0, 3],
        ["bytes=5-9", 5, 9],
        ["bytes=5-", 5, FILE.length - 1],
        ["bytes=-4", FILE.length - 4, FILE.length - 1],
        ["bytes=5-99999", 5, FILE.length - 1],
      ] as const) {
        const part = await range(value);
        expect([value, part.status, part.text]).toEqual([value, 206, FILE.subarray(first, last + 1).toString()]);
        expect(part.headers.get("content-range")).toBe(`bytes ${first}-${last}/${FILE.length}`);
        expect(part.headers.get("content-length")).toBe(String(last - first + 1));
      }
    });

    it("returns 416 with the size in Content-Range for a range past the end", async () => {
      const reply = await range(`bytes=${FILE.length}-`);
      expectRefusal(reply, 416, "RANGE_NOT_SATISFIABLE");
      expect(reply.headers.get("content-range")).toBe(`bytes */${FILE.length}`);
    });

    it("returns the range if If-Range matches and the whole file otherwise", async () => {
      const etag = `"${checksumsOf(FILE).sha256}"`;
      const rest = await range("bytes=5-", { "if-range": etag });
      expect([rest.status, rest.text]).toEqual([206, FILE.subarray(5).toString()]);
      const whole = await range("bytes=5-", { "if-range": '"of another build"' });
      expect([whole.status, whole.text]).toEqual([200, FILE.toString()]);
    });

    it("returns 304 if the client already has the file", async () => {
      const headers = { "if-none-match": `"${checksumsOf(FILE).sha256}"` };
      const reply = await legacy.download("vpn_ip_v1", "mmdb", { headers });
      expect([reply.status, reply.text]).toEqual([304, ""]);
    });

    it("sends a new build immediately after it is published", async () => {
      await test.operator.publish("geo_ip_v1", "newer");
      expect((await legacy.download("geo_ip_v1", "mmdb")).text).toBe(fileBytes("mmdb", "newer").toString());
    });

    it("returns 405 with an Allow header for other methods", async () => {
      const reply = await legacy.download("vpn_ip_v1", "mmdb", { method: "POST" });
      expectRefusal(reply, 405, "METHOD_NOT_ALLOWED");
      expect(reply.headers.get("allow")).toBe("GET, HEAD");
    });
  });
}
