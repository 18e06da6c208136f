import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../../../rigs/harness/needs.ts";
import { Customer } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { record } from "../../../src/domain/audit/audit.ts";
import { createFreshnessKey } from "../../../src/domain/manifests/freshness-keys.ts";
import { createSigningKey } from "../../../src/domain/manifests/signing-keys.ts";
import { updateUsage } from "../../../src/domain/usage/update.ts";
import { startService } from "../../../src/service/service.ts";

for (const stage of eitherStage()) {
  describe(`metrics on ${stage.name}`, () => {
    let test: TestService;
    let acme: Customer;
    beforeAll(async () => {
      test = await testService(stage);
      acme = await test.operator.customer("Acme");
      await test.operator.addDatabase("vpn_ip_v1");
      await test.operator.grant("Acme", "vpn_ip");
      await test.operator.publish("vpn_ip_v1");
      expect((await acme.download("vpn_ip_v1", "mmdb")).status).toBe(302);
      expect((await acme.download("unknown_ip_v1", "mmdb")).status).toBe(404);
      const streamed = await acme.get("/api/v2/database/download?id=vpn_ip_v1&format=mmdb&delivery=stream");
      expect(streamed.status).toBe(200);
      const stranger = new Customer(acme.apiUrl, "dbd_wrong", acme);
      expect((await stranger.list()).status).toBe(401);
      expect((await acme.get("/nowhere/12345")).status).toBe(404);
      await test.operator.addDatabase("tor_ip_v1");
      for (const endpoint of ["metadata?", "checksum?format=mmdb&", "metadata?"]) {
        expect((await acme.get(`/api/v2/database/${endpoint}id=tor_ip_v1`)).status).toBe(403);
      }
      test.clock.advance("90 seconds");
    });
    afterAll(() => test.dispose());

    const read = () => test.service.services.metrics.registry.metrics();
    const lines = async (name: string) => (await read()).split("\n").filter((line) => line.startsWith(name));

    it("counts requests by route and status, without the URLs that clients make up", async () => {
      await expect
        .poll(() => lines("dbdepot_http_requests_total"))
        .toEqual(
          expect.arrayContaining([
            'dbdepot_http_requests_total{method="GET",route="/api/v2/database/download",status="302"} 1',
            'dbdepot_http_requests_total{method="GET",route="/api/v2/database/list",status="401"} 1',
            'dbdepot_http_requests_total{method="",route="",status="404"} 1',
          ]),
        );
      expect(await read()).not.toMatch(/nowhere|12345|unknown_ip/);
    });

    it("counts attempts by outcome and family, refused keys by cause, links and bytes", async () => {
      expect(await lines("dbdepot_download_attempts_total")).toEqual([
        'dbdepot_download_attempts_total{outcome="ok",family="vpn_ip"} 2',
        'dbdepot_download_attempts_total{outcome="unknown",family=""} 1',
      ]);
      expect(await lines("dbdepot_keys_refused_total")).toEqual(['dbdepot_keys_refused_total{cause="malformed"} 1']);
      expect(await lines("dbdepot_metadata_refused_total")).toEqual([
        'dbdepot_metadata_refused_total{endpoint="metadata",cause="not_licensed"} 2',
        'dbdepot_metadata_refused_total{endpoint="checksum",cause="not_licensed"} 1',
      ]);
      const { version } = JSON.parse(await readFile(new URL("../../../package.json", import.meta.url), "utf8"));
      expect(await lines("dbdepot_build_info")).toEqual([`dbdepot_build_info{version="${version}",commit=""} 1`]);
      expect(await lines("dbdepot_links_signed_total")).toEqual(["dbdepot_links_signed_total 1"]);
      const [bytes = ""] = await lines("dbdepot_transfer_bytes_total");
      expect(Number(bytes.split(" ")[1])).toBeGreaterThan(0);
      await expect.poll(() => lines("dbdepot_transfers_active")).toEqual(['dbdepot_transfers_active{server="api"} 0']);
    });

    it("shows the state of the register, the history and the builds", async () => {
      await expect.poll(() => lines("dbdepot_register_keys")).toEqual(["dbdepot_register_keys 1"]);
      expect(await lines("dbdepot_register_licences")).toEqual(["dbdepot_register_licences 1"]);
      expect(await lines("dbdepot_database_up")).toEqual(["dbdepot_database_up 1"]);
      expect(await lines("dbdepot_storage_up")).toEqual(["dbdepot_storage_up 1"]);
      expect(await lines("dbdepot_history_writable")).toEqual(["dbdepot_history_writable 1"]);
      // The directories of a test are on one disk, unless the object storage or the database is elsewhere.
      const [free = "", ...others] = await lines("dbdepot_disk_free_bytes");
      expect(free).toMatch(/^dbdepot_disk_free_bytes\{directory="data"\} \d+$/);
      expect(others).toEqual([]);
      const [size = ""] = await lines("dbdepot_disk_size_bytes");
      expect(Number(size.split(" ")[1])).toBeGreaterThan(Number(free.split(" ")[1]));
      expect(await lines("dbdepot_history_spool_files")).toEqual(["dbdepot_history_spool_files 0"]);
      expect(await lines("dbdepot_history_commit_attempts_count")).toEqual(["dbdepot_history_commit_attempts_count 3"]);
      expect(await lines("dbdepot_version_build_age_seconds")).toEqual([
        'dbdepot_version_build_age_seconds{version="vpn_ip_v1"} 90',
      ]);
    });

    it("shows the age of the signing key and the versions without a manifest", async () => {
      expect(await lines("dbdepot_signing_key_age_seconds")).toEqual([]);
      expect(await lines("dbdepot_unsigned_versions")).toEqual(["dbdepot_unsigned_versions 1"]);
      await createSigningKey(test.operator.operation());
      await test.operator.settle();
      test.clock.advance("60 seconds");
      expect(await lines("dbdepot_signing_key_age_seconds")).toEqual(["dbdepot_signing_key_age_seconds 60"]);
      expect(await lines("dbdepot_unsigned_versions")).toEqual(["dbdepot_unsigned_versions 0"]);
    });

    it("shows when statements of freshness and the endorsement of their key end, and which are overdue", async () => {
      expect(await lines("dbdepot_freshness_expiry_seconds")).toEqual([]);
      expect(await lines("dbdepot_freshness_overdue_versions")).toEqual(["dbdepot_freshness_overdue_versions 0"]);
      await createFreshnessKey(test.operator.operation(), { validDays: 10 });
      await test.operator.settle();
      test.clock.advance("60 seconds");
      expect(await lines("dbdepot_freshness_expiry_seconds")).toEqual(["dbdepot_freshness_expiry_seconds 86340"]);
      const key = "dbdepot_freshness_key_expiry_seconds";
      expect(await lines(key)).toEqual([`${key} 863940`]);
    });

    it("shows the age of the usage totals and of the last backup, also after a restart", async () => {
      expect(await lines("dbdepot_backup_age_seconds")).toEqual([]);
      const { store } = test.service.services;
      for (const subject of ["/backups/1", "/backups/2"]) {
        const entry = { action: "backup.created", subject, after: { rows: 1 } } as const;
        await store.change((tables) => record(tables, test.operator.operation(), entry));
        test.clock.advance("2 days");
      }
      await updateUsage({ usage: store.usage, clock: test.clock.now, by: "test" });
      test.clock.advance("7200 seconds");
      // The service updates them, too.
      const { updated } = await store.usage.progress();
      const ageSeconds = (test.clock.now().getTime() - Number(updated)) / 1000;
      expect(await lines("dbdepot_usage_age_seconds")).toEqual([`dbdepot_usage_age_seconds ${ageSeconds}`]);
      expect(await lines("dbdepot_backup_age_seconds")).toEqual(["dbdepot_backup_age_seconds 180000"]);
      const restarted = await startService(test.stage.settings, { clock: test.clock.now });
      const { registry } = restarted.services.metrics;
      expect(await registry.getSingleMetricAsString("dbdepot_backup_age_seconds")).toContain("_seconds 180000");
      await restarted.close();
    });

    it("starts every series at 0 whose labels are known", async () => {
      expect(await lines("dbdepot_mails_total")).toEqual(
        ["sent", "waiting", "failed", "unknown"].map((result) => `dbdepot_mails_total{result="${result}"} 0`),
      );
      expect(await lines("dbdepot_limit_refusals_total")).toHaveLength(4);
    });

    it("passes promtool check metrics", needs("promtool"), async () => {
      const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], {
        input: await read(),
        encoding: "utf8",
      });
      expect([status, stdout, stderr]).toEqual([0, "", ""]);
    });
  });
}
