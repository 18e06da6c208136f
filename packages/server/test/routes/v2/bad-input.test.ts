import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Customer, call, expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { rawRequest } from "../../../../../rigs/harness/service/raw-request.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";

for (const stage of eitherStage()) {
  describe(`Invalid input to v2 on ${stage.name}`, () => {
    let test: TestService;
    let acme: Customer;

    beforeAll(async () => {
      test = await testService(stage);
      acme = await test.operator.customer("Acme");
      await test.operator.addDatabase("vpn_ip_v1");
      await test.operator.grant("Acme", "vpn_ip");
      await test.operator.publish("vpn_ip_v1");
    });
    afterAll(() => test.dispose());

    const IDS = [
      "id=vpn_ip_v1&id=vpn_ip_v1",
      "id[]=vpn_ip_v1",
      "id[0]=vpn_ip_v1",
      "id=",
      "id",
      "id=%00",
      "id=vpn_ip_v1%00",
      "id=%ff%fe",
      "id=%",
      "id=%ZZ",
      "id=vpn_ip_v1%20",
      "id=../../etc/passwd",
      "id=vpn_ip_v1'--",
      "id=__proto__",
      "id=constructor",
      "id=vpn_ip_v01",
      "id=VPN_IP_V1",
      `id=${"a".repeat(10_000)}`,
      "ID=vpn_ip_v1",
      "%69d%00=vpn_ip_v1",
    ];

    it("returns 404 UNKNOWN_DATASET for empty, repeated, too long and malformed ids", async () => {
      for (const query of IDS) {
        for (const path of ["download?format=mmdb&", "checksum?format=mmdb&", "metadata?"]) {
          const reply = await acme.get(`/api/v2/database/${path}${query}`);
          expect([query, reply.status, reply.json]).toEqual([query, 404, { rc: "UNKNOWN_DATASET" }]);
        }
      }
    });

    it("returns 400 INVALID_FORMAT for empty, repeated, too long and malformed formats", async () => {
      for (const format of [
        "",
        "=",
        "=mmdb&format=mmdb",
        "[]=mmdb",
        "=%00",
        "=%ff",
        "=mmdb%20",
        `=${"m".repeat(9000)}`,
      ]) {
        for (const path of ["download", "checksum"]) {
          const reply = await acme.get(`/api/v2/database/${path}?id=vpn_ip_v1&format${format}`);
          expectRefusal(reply, 400, "INVALID_FORMAT");
        }
      }
    });

    it("records each of these attempts with its values truncated to 64 characters", async () => {
      const rows = await acme.history("?limit=200");
      expect(rows.length).toBe(IDS.length + 8);
      expect(rows.every(({ dataset_id, format }) => dataset_id.length <= 64 && format.length <= 64)).toBe(true);
    });

    it("returns 431 for ten thousand parameters and accepts a few hundred", async () => {
      const query = Array.from({ length: 10_000 }, (_, i) => `p${i}=1`).join("&");
      const head = `GET /api/v2/database/list?${query} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
      const response = await rawRequest(acme.apiUrl, head);
      expect([response.status, response.body]).toEqual([431, '{"rc":"HEADERS_TOO_LARGE"}']);
      expect(response.head).toMatch(/X-Request-Id: \S+/);
      const few = Array.from({ length: 500 }, (_, i) => `p${i}=1`).join("&");
      expect((await acme.get(`/api/v2/database/metadata?${few}&id=vpn_ip_v1`)).status).toBe(200);
    });

    it("returns 400 for malformed HTTP and does not fail on a GET request with a body", async () => {
      expect((await rawRequest(acme.apiUrl, "nonsense\r\n\r\n")).status).toBe(400);
      const withBody = `GET /api/v2/database/list HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Api-Key: ${acme.key}\r\nContent-Length: 5\r\n\r\nhello`;
      expect((await rawRequest(acme.apiUrl, withBody)).status).toBeLessThan(500);
      const noHost = "GET /api/v2/database/list HTTP/1.1\r\nConnection: close\r\n\r\n";
      expect((await rawRequest(acme.apiUrl, noHost)).status).toBe(400);
    });

    it("returns 404 NOT_FOUND for unknown paths and 405 with Allow for other methods", async () => {
      for (const path of [
        "/api",
        "/api/v2/database",
        "/api/v2/database/list/",
        "/api/v2/database/LIST",
        "/%",
        "/%zz",
        "//nowhere",
        "//api/nowhere",
      ]) {
        expectRefusal(await acme.get(path), 404, "NOT_FOUND");
      }
      for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
        const reply = await call(`${acme.apiUrl}/api/v2/database/list`, { method });
        expectRefusal(reply, 405, "METHOD_NOT_ALLOWED");
        expect(reply.headers.get("allow")).toBe("GET, HEAD");
      }
    });

    it("causes no 5xx response and no unexpected error in the log", () => {
      expect(test.logs()).not.toMatch(/"status":5\d\d|unexpected error/);
    });
  });
}
