import type { Download } from "@dbdepot/contract/v2/downloads";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "../../../../../rigs/harness/service/customer.ts";
import { stages } from "../../../../../rigs/harness/service/stages.ts";
import { fileBytes, type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { revokeLegacyKey } from "../../../src/domain/legacy-keys/legacy-keys.ts";
import { type LegacyCustomer, legacyKeyOf, type V1Fixture, v1Fixture } from "./legacy-customer.ts";

const SIZE = fileBytes("mmdb", "content of vpn_ip_v1").length;

for (const stage of stages()) {
  describe(`Download history of v1 on ${stage.name}`, () => {
    let test: TestService;
    let fixture: V1Fixture;
    let legacy: LegacyCustomer;

    beforeAll(async () => {
      test = await testService(stage);
      fixture = await v1Fixture(test);
      legacy = fixture.legacy;
    });
    afterAll(() => test.dispose());

    /** The row of the latest attempt, which is recorded before the response is sent. */
    const newest = async (): Promise<Partial<Download>> => {
      const [row] = await fixture.admin.history("?limit=1");
      const { outcome, http_status, bytes, apikey_id } = row ?? {};
      return { outcome, http_status, bytes, apikey_id } as Partial<Download>;
    };
    const row = (outcome: string, http_status: number, bytes: number | null = null) => ({
      outcome,
      http_status,
      bytes,
      apikey_id: legacy.keyId,
    });

    it("records a download with the object's size and the legacy key's id", async () => {
      await legacy.download("vpn_ip_v1", "mmdb", { headers: { "user-agent": "old-cron/1.0" } });
      expect(await fixture.admin.history("?limit=1")).toEqual([
        {
          dataset_id: "vpn_ip_v1",
          format: "mmdb",
          client_ip: "127.0.0.1",
          user_agent: "old-cron/1.0",
          created: test.clock.now().toISOString(),
          open: false,
          sample: false,
          patch: false,
          ...row("ok", 200, SIZE),
        },
      ]);
    });

    it("records a range request with status 206 and the size of the whole object", async () => {
      await legacy.download("vpn_ip_v1", "mmdb", { headers: { range: "bytes=1-2" } });
      expect(await newest()).toEqual(row("ok", 206, SIZE));
    });

    it("records HEAD requests with status 200 and conditional requests with 304", async () => {
      const { headers } = await legacy.download("vpn_ip_v1", "mmdb", { method: "HEAD" });
      expect(await newest()).toEqual(row("ok", 200, SIZE));
      await legacy.download("vpn_ip_v1", "mmdb", { headers: { "if-none-match": headers.get("etag") ?? "" } });
      expect(await newest()).toEqual(row("ok", 304, SIZE));
    });

    it("records failed ranges and preconditions as unavailable, without a size", async () => {
      await legacy.download("vpn_ip_v1", "mmdb", { headers: { range: "bytes=99999-" } });
      expect(await newest()).toEqual(row("unavailable", 416));
      await legacy.download("vpn_ip_v1", "mmdb", { headers: { "if-match": '"another"' } });
      expect(await newest()).toEqual(row("unavailable", 412));
    });

    for (const [rc, outcome, status, query] of [
      ["INVALID_ID", "unknown", 400, { id: "vpn-ip", format: "mmdb" }],
      ["INVALID_FORMAT", "unavailable", 400, { id: "vpn_ip_v1", format: "zip" }],
      ["INVALID_FORMAT", "unavailable", 400, { id: "hosting_provider_v1", format: "mmdb" }],
      ["UNAUTHORIZED_ID", "denied", 403, { id: "bogon_ip_v1", format: "mmdb" }],
      ["DB_NOT_FOUND", "unavailable", 404, { id: "tor_ip_v1", format: "mmdb" }],
    ] as const) {
      it(`records ${rc} for ${query.id} in ${query.format} as ${outcome} with status ${status}`, async () => {
        expect((await legacy.get("download", query)).json).toEqual({ rc });
        expect(await newest()).toEqual(row(outcome, status));
        expect(await fixture.admin.history("?limit=1")).toMatchObject([{ dataset_id: query.id, format: query.format }]);
      });
    }

    it("shows an attempt with a revoked key to the key's organization", async () => {
      const revoked = await legacyKeyOf(test, "Acme", ["vpn_ip_v1"]);
      await revokeLegacyKey(test.operator.operation(), revoked.keyId);
      await test.operator.settle();
      await revoked.download("vpn_ip_v1", "mmdb");
      expect(await newest()).toEqual({ ...row("unauthorized", 401), apikey_id: revoked.keyId });
    });

    it("shows an attempt with a v2 key, including the key's id, to the key's organization", async () => {
      await call(legacy.url("download", { id: "vpn_ip_v1", format: "mmdb" }, fixture.admin.key));
      expect(await newest()).toEqual({ ...row("unauthorized", 401), apikey_id: fixture.admin.keyId });
    });

    it("shows attempts with unknown keys and keys without an organization only to the operator", async () => {
      const before = await fixture.admin.history();
      const query = { id: "vpn_ip_v1", format: "mmdb" };
      await call(legacy.url("download", query, "00000000-0000-4000-8000-000000000000"));
      const unowned = await legacyKeyOf(test, undefined, ["vpn_ip_v1"]);
      expect((await unowned.download("vpn_ip_v1", "mmdb")).status).toBe(200);
      expect(await fixture.admin.history()).toEqual(before);
      const rows = await test.service.services.store.attempts.list({ api: "v1", limit: 2 });
      expect(rows).toMatchObject([
        { api: "v1", organizationId: null, keyId: unowned.keyId, outcome: "ok", bytes: SIZE },
        { api: "v1", organizationId: null, keyId: null, outcome: "unauthorized", cause: "unknown" },
      ]);
    });
  });
}
