import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { ERRORS, type ErrorCode } from "@dbdepot/contract/shared/errors";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Customer, call, type Reply } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import {
  checksumsOf,
  fileBytes,
  type TestService,
  testService,
} from "../../../../../rigs/harness/service/test-service.ts";
import { accountIdOf } from "../../../src/domain/access/account-id.ts";
import { createKey } from "../../../src/domain/keys/keys.ts";
import { updateUsage } from "../../../src/domain/usage/update.ts";
import { geoipError } from "../../../src/http/geoip/errors.ts";

const FILE = fileBytes("mmdb", "content of vpn_ip_v1");

export function basic(account: string | number, key: string): string {
  return `Basic ${Buffer.from(`${account}:${key}`).toString("base64")}`;
}

it("derives an account id that fits into 31 bits and never changes", () => {
  expect(accountIdOf("019a8b02-5c11-7e0a-9d43-1f2e3d4c5b6a")).toBe(1632794429);
  for (let i = 0; i < 1000; i++) {
    const id = accountIdOf(String(i));
    expect(id > 0 && id < 2 ** 31).toBe(true);
  }
});

it("explains every error in the 256 bytes that geoipupdate prints", () => {
  for (const code of Object.keys(ERRORS) as ErrorCode[]) {
    expect(JSON.stringify(geoipError(code)).length).toBeLessThanOrEqual(256);
  }
});

for (const stage of eitherStage()) {
  describe(`the protocol of geoipupdate on ${stage.name}`, () => {
    let test: TestService;
    let acme: Customer;
    let directory: string;

    beforeAll(async () => {
      test = await testService(stage);
      directory = await mkdtemp(join(tmpdir(), "dbdepot-geoip-"));
      const { operator } = test;
      acme = await operator.customer("Acme");
      for (const id of ["vpn_ip_v1", "tor_ip_v1", "other_ip_v1", "ended_ip_v1"]) await operator.addDatabase(id);
      await operator.addDatabase("hosting_provider_v1", { formats: ["csvgz"] });
      await operator.addDatabase("secret_ip_v1", { visibility: "private" });
      for (const base of ["vpn_ip", "tor_ip", "hosting_provider"]) await operator.grant("Acme", base);
      const starts = test.clock.now();
      await operator.grant("Acme", "ended_ip", { starts, expires: new Date(starts.getTime() + 1000) });
      test.clock.advance("60 seconds");
      for (const id of ["vpn_ip_v1", "secret_ip_v1", "hosting_provider_v1", "other_ip_v1"]) await operator.publish(id);
    });
    afterAll(async () => {
      await test.dispose();
      await rm(directory, { recursive: true });
    });

    const get = (path: string, { account = accountIdOf(acme.organizationId), key = acme.key, method = "GET" } = {}) =>
      call(`${test.service.apiUrl}/geoip${path}`, { method, headers: { authorization: basic(account, key) } });
    const DOWNLOAD = "/databases/vpn_ip_v1/download?suffix=tar.gz";

    const bytesAt = async (path: string): Promise<Buffer> => {
      const headers = { authorization: basic(accountIdOf(acme.organizationId), acme.key) };
      const response = await fetch(`${test.service.apiUrl}/geoip${path}`, { headers });
      expect(response.status).toBe(200);
      return Buffer.from(await response.arrayBuffer());
    };

    function expectError(reply: Reply, status: number, rc: ErrorCode): void {
      expect({ status: reply.status, body: reply.json }).toEqual({ status, body: geoipError(rc) });
    }

    it("returns date and MD5 of the requested databases, without a row in the history", async () => {
      const reply = await get("/updates/metadata?edition_id=vpn_ip_v1");
      const { md5 } = checksumsOf(FILE);
      expect(reply.json).toEqual({ databases: [{ edition_id: "vpn_ip_v1", md5, date: "2026-11-01" }] });
      expect(await acme.history()).toEqual([]);
    });

    it("omits databases that are refused if another one is granted, and records them", async () => {
      const { json } = await get("/updates/metadata?edition_id=other_ip_v1&edition_id=vpn_ip_v1&edition_id=vpn_ip_v1");
      expect(json.databases.map(({ edition_id }: { edition_id: string }) => edition_id)).toEqual(["vpn_ip_v1"]);
      const [row] = await acme.history("?limit=1");
      expect(row).toMatchObject({ dataset_id: "other_ip_v1", format: "mmdb", outcome: "denied", http_status: 403 });
    });

    it("sends a tar.gz that tar can read, with the build's date, and always the same bytes", async () => {
      const archive = await bytesAt(`${DOWNLOAD}&date=20261101`);
      expect(await bytesAt(DOWNLOAD)).toEqual(archive);
      const path = join(directory, "archive.tar.gz");
      await writeFile(path, archive);
      const list = execFileSync("tar", ["-tvzf", path, "--utc", "--full-time", "--numeric-owner"], {
        encoding: "utf8",
      });
      expect(
        list
          .trim()
          .split("\n")
          .map((line) => line.replaceAll(/ +/g, " ")),
      ).toEqual([
        "drwxr-xr-x 0/0 0 2026-11-01 00:00:00 vpn_ip_v1_20261101/",
        `-rw-r--r-- 0/0 ${FILE.length} 2026-11-01 00:00:00 vpn_ip_v1_20261101/vpn_ip_v1.mmdb`,
      ]);
      expect(execFileSync("tar", ["-xzOf", path, "vpn_ip_v1_20261101/vpn_ip_v1.mmdb"])).toEqual(FILE);
      const [row] = await acme.history("?limit=1");
      expect(row).toMatchObject({ outcome: "ok", http_status: 200, bytes: FILE.length, apikey_id: acme.keyId });
    });

    it("sends the gzipped file to older versions, and 304 if they have it", async () => {
      const { md5 } = checksumsOf(FILE);
      expect(gunzipSync(await bytesAt("/databases/vpn_ip_v1/update?db_md5=00000000000000000000000000000000"))).toEqual(
        FILE,
      );
      const unchanged = await get(`/databases/vpn_ip_v1/update?db_md5=${md5}`);
      expect(unchanged.status).toBe(304);
      expect(unchanged.headers.get("x-database-md5")).toBe(md5);
      expect((await acme.history("?limit=2")).map(({ http_status }) => http_status)).toEqual([304, 200]);
    });

    it("counts the bytes that were sent in the usage, not the size of the file", async () => {
      const { store, sentBytes } = test.service.services;
      test.clock.advance("1 days");
      const day = test.clock.now().toISOString().slice(0, 10);
      const archive = await bytesAt(DOWNLOAD);
      const gzipped = await bytesAt("/databases/vpn_ip_v1/update");
      await get(`/databases/vpn_ip_v1/update?db_md5=${checksumsOf(FILE).md5}`);
      await get(DOWNLOAD, { method: "HEAD" });
      // The length of a stream is known when it has ended.
      const sent = async () => {
        await sentBytes.flush();
        return (await store.attempts.list({ limit: 4 })).map((attempt) => attempt.sentBytes);
      };
      await expect.poll(sent).toEqual([0, 0, gzipped.length, archive.length]);
      const update = () => {
        test.clock.advance("120 seconds");
        return updateUsage({ usage: store.usage, clock: test.clock.now, by: "the test" });
      };
      await expect.poll(update).toBe(true);
      const { usage } = (await acme.get(`/api/v2/database/usage?by=day&from=${day}`)).json;
      expect(usage).toMatchObject([{ refused: 0, bytes: archive.length + gzipped.length }]);
    });

    it("responds to HEAD without a body and records it", async () => {
      const reply = await get(DOWNLOAD, { method: "HEAD" });
      expect({ status: reply.status, text: reply.text }).toEqual({ status: 200, text: "" });
      expect(reply.headers.get("last-modified")).toMatch(/ GMT$/);
      expect(reply.headers.get("content-disposition")).toBe('attachment; filename="vpn_ip_v1_20261101.tar.gz"');
    });

    it("sends the build of the date that the client knows, even after a newer one was published", async () => {
      const { services } = test.service;
      const id = "tor_ip_v1";
      const path = (date: string) => `/databases/${id}/download?suffix=tar.gz&date=${date}`;
      await test.operator.publish(id, "the older content");
      const withdrawn = await test.operator.publish(id, "the wrong content");
      await test.operator.publish(id, "the newer content", [], "2026-11-02");
      const change = { state: "withdrawn", withdrawn: test.clock.now() } as const;
      await services.store.change((tables) => tables.builds.setState(withdrawn.id, change));
      await test.operator.settle();
      expect(gunzipSync(await bytesAt(path("20261102"))).toString()).toContain("the newer content");
      expect(gunzipSync(await bytesAt(path("20261101"))).toString()).toContain("the older content");
      for (const date of ["20261103", "2026-11-01", "", "x".repeat(500)])
        expectError(await get(path(date)), 404, "UNKNOWN_BUILD");
    });

    it("refuses what v2 refuses, with a sentence, and records it", async () => {
      const cases = [
        ["other_ip_v1", 403, "NOT_LICENSED", "denied"],
        ["ended_ip_v1", 403, "LICENSE_EXPIRED", "expired"],
        ["GeoLite2-City", 404, "UNKNOWN_DATASET", "unknown"],
        ["secret_ip_v1", 404, "UNKNOWN_DATASET", "unknown"],
        ["hosting_provider_v1", 400, "INVALID_FORMAT", "unavailable"],
      ] as const;
      for (const [id, status, rc, outcome] of cases) {
        for (const path of [
          `/updates/metadata?edition_id=${id}`,
          `/databases/${id}/download?suffix=tar.gz`,
          `/databases/${id}/update`,
        ]) {
          expectError(await get(path), status, rc);
          const [row] = await acme.history("?limit=1");
          expect(row).toMatchObject({ dataset_id: id, format: "mmdb", outcome, http_status: status, bytes: null });
        }
      }
      expectError(await get("/updates/metadata"), 404, "UNKNOWN_DATASET");
      expectError(await get("/databases/vpn_ip_v1/download?suffix=zip"), 400, "INVALID_FORMAT");
      expectError(await get("/databases/vpn_ip_v1/download"), 400, "INVALID_FORMAT");
      const many = Array.from({ length: 101 }, (_, i) => `edition_id=a${i}`).join("&");
      expectError(await get(`/updates/metadata?${many}`), 400, "INVALID_REQUEST");
    });

    it("records at most 10 refusals of one metadata request", async () => {
      const stranger = await test.operator.customer("Stranger");
      const ids = Array.from({ length: 100 }, (_, i) => `edition_id=a${i}`).join("&");
      const reply = await stranger.get(`/geoip/updates/metadata?${ids}`);
      expectError(reply, 404, "UNKNOWN_DATASET");
      expect((await stranger.history()).map(({ dataset_id }) => dataset_id).sort()).toEqual(
        Array.from({ length: 10 }, (_, i) => `a${i}`),
      );
    });

    it("refuses a wrong account id like a wrong key, and shows the attempt to the key's owner only", async () => {
      const other = await test.operator.customer("Other");
      const before = (await acme.history()).length;
      for (const account of [0, 12345, "", "x", accountIdOf(other.organizationId)]) {
        const reply = await get(DOWNLOAD, { account: account as number });
        expectError(reply, 401, "UNAUTHORIZED");
        expect(reply.headers.get("www-authenticate")).toBe('Basic realm="dbdepot", charset="UTF-8"');
      }
      expectError(await get(DOWNLOAD, { key: "dbd_wrong" }), 401, "UNAUTHORIZED");
      const history = await acme.history();
      expect(history.length).toBe(before + 5);
      expect(history[0]).toMatchObject({ dataset_id: "vpn_ip_v1", outcome: "unauthorized", http_status: 401 });
      expect(await other.history()).toEqual([]);
      expectError(await get("/updates/metadata?edition_id=vpn_ip_v1", { account: 1 }), 401, "UNAUTHORIZED");
      const { attempts } = test.service.services.store;
      const [latest] = await attempts.list({ organizationId: acme.organizationId, limit: 1 });
      expect(latest).toMatchObject({ cause: "wrong_account", datasetId: "vpn_ip_v1", format: "mmdb" });
    });

    it("refuses malformed credentials and keys without the scope or an organization", async () => {
      const idle = await test.operator.colleague(acme, { scopes: [] });
      expectError(await get(DOWNLOAD, { key: idle.key }), 401, "UNAUTHORIZED");
      const { plain } = await createKey(test.operator.operation(), {
        organizationId: null,
        name: "robot",
        scopes: ["operator.read"],
        cidrs: [],
        expires: null,
      });
      expectError(await get(DOWNLOAD, { key: plain.reveal() }), 401, "UNAUTHORIZED");
      const url = `${test.service.apiUrl}/geoip${DOWNLOAD}`;
      for (const authorization of ["Basic", "Basic ", "Basic ????", `Basic ${btoa(acme.key)}`, "Digest x", ""]) {
        expectError(await call(url, { headers: { authorization } }), 401, "UNAUTHORIZED");
      }
    });

    it("accepts HTTP Basic on no other endpoint, and a bearer key here too", async () => {
      const authorization = basic(accountIdOf(acme.organizationId), acme.key);
      const list = await call(`${test.service.apiUrl}/api/v2/database/list`, { headers: { authorization } });
      expect({ status: list.status, body: list.json }).toEqual({ status: 401, body: { rc: "UNAUTHORIZED" } });
      expect((await acme.get(`/geoip${DOWNLOAD}`)).status).toBe(200);
    });

    it("logs neither the key nor the header that contains it", () => {
      expect(test.logs()).not.toContain(acme.key);
      expect(test.logs()).not.toContain(basic(accountIdOf(acme.organizationId), acme.key).slice("Basic ".length));
    });
  });
}
