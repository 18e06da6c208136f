import type { Download } from "@dbdepot/contract/downloads";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { revokeLegacyKey } from "../../../src/keys/legacy-keys.ts";
import { call } from "../../customer.ts";
import { stages } from "../../stages.ts";
import { fileBytes, type TestService, testService } from "../../test-service.ts";
import { type LegacyCustomer, legacyKeyOf, type V1Scene, v1Scene } from "./legacy-customer.ts";

const SIZE = fileBytes("mmdb", "content of vpn_ip_v1").length;

for (const stage of stages()) {
  describe(`the history of v1 on ${stage.name}`, () => {
    let test: TestService;
    let scene: V1Scene;
    let old: LegacyCustomer;

    beforeAll(async () => {
      test = await testService(stage);
      scene = await v1Scene(test);
      old = scene.old;
    });
    afterAll(() => test.dispose());

    /** The row that the request has left, which is there as soon as its answer is. */
    const newest = async (): Promise<Partial<Download>> => {
      const [row] = await scene.admin.history("?limit=1");
      const { outcome, http_status, bytes, apikey_id } = row ?? {};
      return { outcome, http_status, bytes, apikey_id } as Partial<Download>;
    };
    const row = (outcome: string, http_status: number, bytes: number | null = null) => ({
      outcome,
      http_status,
      bytes,
      apikey_id: old.keyId,
    });

    it("a download: ok, 200, the object's size, the legacy key's id, all nine fields", async () => {
      await old.download("vpn_ip_v1", "mmdb", { headers: { "user-agent": "old-cron/1.0" } });
      expect(await scene.admin.history("?limit=1")).toEqual([
        {
          dataset_id: "vpn_ip_v1",
          format: "mmdb",
          client_ip: "127.0.0.1",
          user_agent: "old-cron/1.0",
          created: test.clock.now().toISOString(),
          ...row("ok", 200, SIZE),
        },
      ]);
    });

    it("a range: ok, 206, the object's size and not the range's", async () => {
      await old.download("vpn_ip_v1", "mmdb", { headers: { range: "bytes=1-2" } });
      expect(await newest()).toEqual(row("ok", 206, SIZE));
    });

    it("a client that has the file: ok, 304; a HEAD: ok, 200", async () => {
      const { headers } = await old.download("vpn_ip_v1", "mmdb", { method: "HEAD" });
      expect(await newest()).toEqual(row("ok", 200, SIZE));
      await old.download("vpn_ip_v1", "mmdb", { headers: { "if-none-match": headers.get("etag") ?? "" } });
      expect(await newest()).toEqual(row("ok", 304, SIZE));
    });

    it("a range or a condition that rules the file out: unavailable, and no bytes", async () => {
      await old.download("vpn_ip_v1", "mmdb", { headers: { range: "bytes=99999-" } });
      expect(await newest()).toEqual(row("unavailable", 416));
      await old.download("vpn_ip_v1", "mmdb", { headers: { "if-match": '"another"' } });
      expect(await newest()).toEqual(row("unavailable", 412));
    });

    for (const [rc, outcome, status, query] of [
      ["INVALID_ID", "unknown", 400, { id: "vpn-ip", format: "mmdb" }],
      ["INVALID_FORMAT", "unavailable", 400, { id: "vpn_ip_v1", format: "zip" }],
      ["INVALID_FORMAT", "unavailable", 400, { id: "hosting_provider_v1", format: "mmdb" }],
      ["UNAUTHORIZED_ID", "denied", 403, { id: "bogon_ip_v1", format: "mmdb" }],
      ["DB_NOT_FOUND", "unavailable", 404, { id: "tor_ip_v1", format: "mmdb" }],
    ] as const) {
      it(`${rc} for ${query.id} as ${query.format}: ${outcome}, ${status}`, async () => {
        expect((await old.get("download", query)).json).toEqual({ rc });
        expect(await newest()).toEqual(row(outcome, status));
        expect(await scene.admin.history("?limit=1")).toMatchObject([{ dataset_id: query.id, format: query.format }]);
      });
    }

    it("a revoked key: unauthorized, 401, and its organization sees it", async () => {
      const revoked = await legacyKeyOf(test, "Acme", ["vpn_ip_v1"]);
      await revokeLegacyKey(test.operator.operation(), revoked.keyId);
      await test.operator.settle();
      await revoked.download("vpn_ip_v1", "mmdb");
      expect(await newest()).toEqual({ ...row("unauthorized", 401), apikey_id: revoked.keyId });
    });

    it("a v2 key on v1: unauthorized, 401, and its organization sees which key it was", async () => {
      await call(old.url("download", { id: "vpn_ip_v1", format: "mmdb" }, scene.admin.key));
      expect(await newest()).toEqual({ ...row("unauthorized", 401), apikey_id: scene.admin.keyId });
    });

    it("a key that resolves to nobody, and a key of no organization, are the operator's to see", async () => {
      const before = await scene.admin.history();
      const query = { id: "vpn_ip_v1", format: "mmdb" };
      await call(old.url("download", query, "00000000-0000-4000-8000-000000000000"));
      const nobodys = await legacyKeyOf(test, undefined, ["vpn_ip_v1"]);
      expect((await nobodys.download("vpn_ip_v1", "mmdb")).status).toBe(200);
      expect(await scene.admin.history()).toEqual(before);
      const rows = await test.service.parts.store.attempts.list({ api: "v1", limit: 2 });
      expect(rows).toMatchObject([
        { api: "v1", organizationId: null, keyId: nobodys.keyId, outcome: "ok", bytes: SIZE },
        { api: "v1", organizationId: null, keyId: null, outcome: "unauthorized", cause: "unknown" },
      ]);
    });
  });
}
