import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { stages } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { revokeLegacyKey } from "../../../src/domain/legacy-keys/legacy-keys.ts";
import { type LegacyCustomer, legacyKeyOf, type V1Fixture, v1Fixture } from "./legacy-customer.ts";

const ENDPOINTS = ["download", "checksum", "metadata"];
const WITH_FORMAT = ["download", "checksum"];
const VALID = { id: "vpn_ip_v1", format: "mmdb" };

for (const stage of stages()) {
  describe(`Errors of v1 on ${stage.name} (interface 7.2)`, () => {
    let test: TestService;
    let fixture: V1Fixture;
    let legacy: LegacyCustomer;

    beforeAll(async () => {
      test = await testService(stage);
      fixture = await v1Fixture(test);
      legacy = fixture.legacy;
    });
    afterAll(() => test.dispose());

    const statuses = async (endpoints: string[], apikey: string) =>
      Promise.all(endpoints.map(async (endpoint) => (await call(legacy.url(endpoint, VALID, apikey))).status));

    it("accepts the UUID with or without dashes, in either case and surrounded by whitespace (interface 5.2)", async () => {
      const plain = legacy.uuid.replaceAll("-", "");
      for (const apikey of [legacy.uuid, plain, legacy.uuid.toUpperCase(), plain.toUpperCase(), ` ${legacy.uuid}\n`]) {
        expect(await statuses(ENDPOINTS, apikey)).toEqual([200, 200, 200]);
      }
    });

    it("returns 401 INVALID_APIKEY for a missing key before it checks other parameters", async () => {
      for (const endpoint of ENDPOINTS) {
        const reply = await call(`${legacy.apiUrl}/api/v1/database/${endpoint}`);
        expectRefusal(reply, 401, "INVALID_APIKEY");
        expect(reply.headers.get("www-authenticate")).toMatch(/\S/);
      }
    });

    it("returns the same 401 INVALID_APIKEY for malformed, unknown and revoked keys", async () => {
      const revoked = await legacyKeyOf(test, "Acme", ["vpn_ip_v1"]);
      // Makes sure the register has loaded the key before it is revoked.
      expect((await revoked.metadata("vpn_ip_v1")).status).toBe(200);
      await revokeLegacyKey(test.operator.operation(), revoked.keyId);
      await test.operator.settle();
      const wrong = [
        "",
        "nonsense",
        "00000000-0000-4000-8000-000000000000",
        `{${legacy.uuid}}`,
        legacy.uuid.slice(1),
        `${legacy.uuid}0`,
        legacy.uuid.replace("-", ""),
        legacy.keyId,
        revoked.uuid,
        "\0",
      ];
      const seen = new Set<string>();
      for (const apikey of wrong) {
        for (const endpoint of ENDPOINTS) {
          const reply = await call(legacy.url(endpoint, VALID, apikey));
          expectRefusal(reply, 401, "INVALID_APIKEY");
          seen.add([...reply.headers].filter(([name]) => !/^(date|x-request-id)$/.test(name)).join());
        }
      }
      expect(seen.size).toBe(1);
    });

    it("returns 401 INVALID_APIKEY if the key is given twice", async () => {
      const url = `${legacy.url("download", VALID)}&apikey=${legacy.uuid}`;
      expectRefusal(await call(url), 401, "INVALID_APIKEY");
    });

    it("returns 401 INVALID_APIKEY for a v1 key in a header (interface 5.2)", async () => {
      const url = `${legacy.apiUrl}/api/v1/database/download?${new URLSearchParams(VALID)}`;
      for (const headers of [{ authorization: `Bearer ${legacy.uuid}` }, { "x-api-key": legacy.uuid }]) {
        expectRefusal(await call(url, { headers: headers as Record<string, string> }), 401, "INVALID_APIKEY");
      }
    });

    it("returns 401 INVALID_APIKEY for v2 keys, in the query string or a header (interface 5.2)", async () => {
      const { key } = fixture.admin;
      for (const endpoint of ENDPOINTS)
        expectRefusal(await call(legacy.url(endpoint, VALID, key)), 401, "INVALID_APIKEY");
      const url = `${legacy.apiUrl}/api/v1/database/download?${new URLSearchParams(VALID)}`;
      expectRefusal(await call(url, { headers: { authorization: `Bearer ${key}` } }), 401, "INVALID_APIKEY");
    });

    it("makes v2 return 401 UNAUTHORIZED for v1 keys, in the query string or a header (interface 5.2)", async () => {
      for (const key of [legacy.uuid, legacy.uuid.replaceAll("-", "")]) {
        for (const endpoint of [...ENDPOINTS, "list", "downloads"]) {
          const url = `${legacy.apiUrl}/api/v2/database/${endpoint}?${new URLSearchParams(VALID)}`;
          expectRefusal(await call(`${url}&apikey=${key}`), 401, "UNAUTHORIZED");
          expectRefusal(await call(url, { headers: { "x-api-key": key } }), 401, "UNAUTHORIZED");
          expectRefusal(await call(url, { headers: { authorization: `Bearer ${key}` } }), 401, "UNAUTHORIZED");
        }
      }
    });

    it("returns 400 INVALID_ID for a malformed, missing or repeated id before it checks the format", async () => {
      for (const id of ["vpn-ip_v1", "", " ", "vpn_ip_v1\0", "vpn_ip_v1 ", "../vpn_ip_v1", "ö", "x".repeat(65)]) {
        for (const endpoint of ENDPOINTS) {
          expectRefusal(await legacy.get(endpoint, { id, format: "zip" }), 400, "INVALID_ID");
        }
      }
      for (const endpoint of ENDPOINTS) {
        expectRefusal(await legacy.get(endpoint, { format: "zip" }), 400, "INVALID_ID");
        expectRefusal(await call(`${legacy.url(endpoint, VALID)}&id=vpn_ip_v1`), 400, "INVALID_ID");
      }
    });

    it("returns 400 INVALID_FORMAT for an unsupported, missing or repeated format before it checks the key's list", async () => {
      for (const endpoint of WITH_FORMAT) {
        for (const id of ["vpn_ip_v1", "bogon_ip_v1", "unknown_v1"]) {
          for (const format of ["", "zip", "MMDB", "mmdb ", "csv.gz", "__proto__"]) {
            expectRefusal(await legacy.get(endpoint, { id, format }), 400, "INVALID_FORMAT");
          }
          expectRefusal(await legacy.get(endpoint, { id }), 400, "INVALID_FORMAT");
          expectRefusal(
            await call(`${legacy.url(endpoint, { id, format: "mmdb" })}&format=mmdb`),
            400,
            "INVALID_FORMAT",
          );
        }
      }
    });

    it("returns 400 INVALID_FORMAT for a format the version is not built in before it checks the key's list", async () => {
      for (const endpoint of WITH_FORMAT) {
        for (const id of ["hosting_provider_v1", "cloud_provider_v1"]) {
          expectRefusal(await legacy.get(endpoint, { id, format: "mmdb" }), 400, "INVALID_FORMAT");
        }
      }
    });

    it("returns 403 UNAUTHORIZED_ID for ids outside the key's list, whether they exist or not", async () => {
      for (const endpoint of ENDPOINTS) {
        for (const id of ["bogon_ip_v1", "unknown_v1", "vpn_ip", "VPN_IP_V1", "__proto__", "x".repeat(64)]) {
          expectRefusal(await legacy.get(endpoint, { id, format: "csvgz" }), 403, "UNAUTHORIZED_ID");
        }
      }
    });

    it("returns the same 403 UNAUTHORIZED_ID for versions of private families as for unknown ids", async () => {
      for (const format of ["csvgz", "mmdb"]) {
        for (const id of ["secret_provider_v1", "unknown_v1"]) {
          expectRefusal(await legacy.download(id, format), 403, "UNAUTHORIZED_ID");
        }
      }
    });

    it("returns 404 DB_NOT_FOUND without Retry-After if no build is published", async () => {
      for (const endpoint of ENDPOINTS) {
        const reply = await legacy.get(endpoint, { id: "tor_ip_v1", format: "mmdb" });
        expectRefusal(reply, 404, "DB_NOT_FOUND");
        expect(reply.headers.has("retry-after")).toBe(false);
      }
    });

    it("responds to HEAD with the same status", async () => {
      const status = async (query: Record<string, string>) =>
        (await legacy.get("download", query, { method: "HEAD" })).status;
      expect(await status({ id: "-" })).toBe(400);
      expect(await status({ id: "bogon_ip_v1", format: "mmdb" })).toBe(403);
      expect(await status({ id: "tor_ip_v1", format: "mmdb" })).toBe(404);
    });
  });
}
