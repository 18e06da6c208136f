import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { revokeLegacyKey } from "../../../src/keys/legacy-keys.ts";
import { call, expectRefusal } from "../../customer.ts";
import { stages } from "../../stages.ts";
import { type TestService, testService } from "../../test-service.ts";
import { type LegacyCustomer, legacyKeyOf, type V1Scene, v1Scene } from "./legacy-customer.ts";

const ADDRESSES = ["download", "checksum", "metadata"];
const WITH_FORMAT = ["download", "checksum"];
const GOOD = { id: "vpn_ip_v1", format: "mmdb" };

for (const stage of stages()) {
  describe(`7.2 refusals of v1 on ${stage.name}`, () => {
    let test: TestService;
    let scene: V1Scene;
    let old: LegacyCustomer;

    beforeAll(async () => {
      test = await testService(stage);
      scene = await v1Scene(test);
      old = scene.old;
    });
    afterAll(() => test.dispose());

    const statuses = async (addresses: string[], apikey: string) =>
      Promise.all(addresses.map(async (address) => (await call(old.url(address, GOOD, apikey))).status));

    it("5.2 the UUID is accepted with dashes or without, in either case, with white space around it", async () => {
      const plain = old.uuid.replaceAll("-", "");
      for (const apikey of [old.uuid, plain, old.uuid.toUpperCase(), plain.toUpperCase(), ` ${old.uuid}\n`]) {
        expect(await statuses(ADDRESSES, apikey)).toEqual([200, 200, 200]);
      }
    });

    it("401 INVALID_APIKEY: missing, before anything else is looked at", async () => {
      for (const address of ADDRESSES) {
        const reply = await call(`${old.apiUrl}/api/v1/database/${address}`);
        expectRefusal(reply, 401, "INVALID_APIKEY");
        expect(reply.headers.get("www-authenticate")).toMatch(/\S/);
      }
    });

    it("401 INVALID_APIKEY: not recognized, whatever is wrong with it, all alike", async () => {
      const revoked = await legacyKeyOf(test, "Acme", ["vpn_ip_v1"]);
      // Known to the register before it is revoked.
      expect((await revoked.metadata("vpn_ip_v1")).status).toBe(200);
      await revokeLegacyKey(test.operator.operation(), revoked.keyId);
      await test.operator.settle();
      const wrong = [
        "",
        "nonsense",
        "00000000-0000-4000-8000-000000000000",
        `{${old.uuid}}`,
        old.uuid.slice(1),
        `${old.uuid}0`,
        old.uuid.replace("-", ""),
        old.keyId,
        revoked.uuid,
        "\0",
      ];
      const seen = new Set<string>();
      for (const apikey of wrong) {
        for (const address of ADDRESSES) {
          const reply = await call(old.url(address, GOOD, apikey));
          expectRefusal(reply, 401, "INVALID_APIKEY");
          seen.add([...reply.headers].filter(([name]) => !/^(date|x-request-id)$/.test(name)).join());
        }
      }
      expect(seen.size).toBe(1);
    });

    it("401 INVALID_APIKEY: given twice, nobody can say which is meant", async () => {
      const url = `${old.url("download", GOOD)}&apikey=${old.uuid}`;
      expectRefusal(await call(url), 401, "INVALID_APIKEY");
    });

    it("5.2 the apikey parameter only: no header presents a v1 key", async () => {
      const url = `${old.apiUrl}/api/v1/database/download?${new URLSearchParams(GOOD)}`;
      for (const headers of [{ authorization: `Bearer ${old.uuid}` }, { "x-api-key": old.uuid }]) {
        expectRefusal(await call(url, { headers: headers as Record<string, string> }), 401, "INVALID_APIKEY");
      }
    });

    it("5.2 v2 keys are not accepted on v1: 401 INVALID_APIKEY in each way to present them", async () => {
      const { key } = scene.admin;
      for (const address of ADDRESSES) expectRefusal(await call(old.url(address, GOOD, key)), 401, "INVALID_APIKEY");
      const url = `${old.apiUrl}/api/v1/database/download?${new URLSearchParams(GOOD)}`;
      expectRefusal(await call(url, { headers: { authorization: `Bearer ${key}` } }), 401, "INVALID_APIKEY");
    });

    it("5.2 v1 keys are not accepted on v2: 401 UNAUTHORIZED in each way to present them", async () => {
      for (const key of [old.uuid, old.uuid.replaceAll("-", "")]) {
        for (const address of [...ADDRESSES, "list", "downloads"]) {
          const url = `${old.apiUrl}/api/v2/database/${address}?${new URLSearchParams(GOOD)}`;
          expectRefusal(await call(`${url}&apikey=${key}`), 401, "UNAUTHORIZED");
          expectRefusal(await call(url, { headers: { "x-api-key": key } }), 401, "UNAUTHORIZED");
          expectRefusal(await call(url, { headers: { authorization: `Bearer ${key}` } }), 401, "UNAUTHORIZED");
        }
      }
    });

    it("400 INVALID_ID: malformed, missing, empty, over-long or given twice, before the format", async () => {
      for (const id of ["vpn-ip_v1", "", " ", "vpn_ip_v1\0", "vpn_ip_v1 ", "../vpn_ip_v1", "ö", "x".repeat(65)]) {
        for (const address of ADDRESSES) {
          expectRefusal(await old.get(address, { id, format: "zip" }), 400, "INVALID_ID");
        }
      }
      for (const address of ADDRESSES) {
        expectRefusal(await old.get(address, { format: "zip" }), 400, "INVALID_ID");
        expectRefusal(await call(`${old.url(address, GOOD)}&id=vpn_ip_v1`), 400, "INVALID_ID");
      }
    });

    it("400 INVALID_FORMAT: malformed or unsupported, missing, or given twice, before the key's list", async () => {
      for (const address of WITH_FORMAT) {
        for (const id of ["vpn_ip_v1", "bogon_ip_v1", "never_was_v1"]) {
          for (const format of ["", "zip", "MMDB", "mmdb ", "csv.gz", "__proto__"]) {
            expectRefusal(await old.get(address, { id, format }), 400, "INVALID_FORMAT");
          }
          expectRefusal(await old.get(address, { id }), 400, "INVALID_FORMAT");
          expectRefusal(await call(`${old.url(address, { id, format: "mmdb" })}&format=mmdb`), 400, "INVALID_FORMAT");
        }
      }
    });

    it("400 INVALID_FORMAT: the version is not built in it, also before the key's list", async () => {
      for (const address of WITH_FORMAT) {
        for (const id of ["hosting_provider_v1", "cloud_provider_v1"]) {
          expectRefusal(await old.get(address, { id, format: "mmdb" }), 400, "INVALID_FORMAT");
        }
      }
    });

    it("403 UNAUTHORIZED_ID: any id that is not in the key's list, whether it exists or not", async () => {
      for (const address of ADDRESSES) {
        for (const id of ["bogon_ip_v1", "never_was_v1", "vpn_ip", "VPN_IP_V1", "__proto__", "x".repeat(64)]) {
          expectRefusal(await old.get(address, { id, format: "csvgz" }), 403, "UNAUTHORIZED_ID");
        }
      }
    });

    it("403 UNAUTHORIZED_ID: a private family's version is like an id that never was, in every format", async () => {
      for (const format of ["csvgz", "mmdb"]) {
        for (const id of ["secret_provider_v1", "never_was_v1"]) {
          expectRefusal(await old.download(id, format), 403, "UNAUTHORIZED_ID");
        }
      }
    });

    it("404 DB_NOT_FOUND: nothing is published yet", async () => {
      for (const address of ADDRESSES) {
        const reply = await old.get(address, { id: "tor_ip_v1", format: "mmdb" });
        expectRefusal(reply, 404, "DB_NOT_FOUND");
        expect(reply.headers.has("retry-after")).toBe(false);
      }
    });

    it("answers HEAD with the same status", async () => {
      const status = async (query: Record<string, string>) =>
        (await old.get("download", query, { method: "HEAD" })).status;
      expect(await status({ id: "-" })).toBe(400);
      expect(await status({ id: "bogon_ip_v1", format: "mmdb" })).toBe(403);
      expect(await status({ id: "tor_ip_v1", format: "mmdb" })).toBe(404);
    });
  });
}
