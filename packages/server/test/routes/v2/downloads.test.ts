import { DownloadList } from "@dbdepot/contract/v2/downloads";
import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Customer, call } from "../../../../../rigs/harness/service/customer.ts";
import { stages } from "../../../../../rigs/harness/service/stages.ts";
import { fileBytes, type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { revokeKey } from "../../../src/domain/keys/keys.ts";
import { attempt } from "../../adapters/sql/samples.ts";

for (const stage of stages()) {
  describe(`GET /api/v2/database/downloads on ${stage.name}`, () => {
    let test: TestService;
    let acme: Customer;

    beforeAll(async () => {
      test = await testService(stage);
      const { operator } = test;
      acme = await operator.customer("Acme");
      for (const id of ["vpn_ip_v1", "bogon_ip_v1"]) await operator.addDatabase(id);
      await operator.grant("Acme", "vpn_ip");
      await operator.publish("vpn_ip_v1");
    });
    afterAll(() => test.dispose());

    it("does not include list, metadata and checksum requests", async () => {
      await acme.list();
      await acme.metadata("vpn_ip_v1");
      await acme.checksum("vpn_ip_v1", "mmdb");
      expect(await acme.history()).toEqual([]);
    });

    it("masks API keys that were sent as id or format", async () => {
      const other = await test.operator.customer("Mistaken");
      const masked = `${other.key.slice(0, "dbd_12345678_".length)}***`;
      await other.download(other.key, other.key);
      await other.download("5b7e1c1e-6f0a-4a5e-9d59-0f0f6a3f2b11", "mmdb");
      const rows = await other.history();
      expect(rows.map(({ dataset_id, format }) => [dataset_id, format])).toEqual([
        ["***", "mmdb"],
        [masked, masked],
      ]);
    });

    it("returns every attempt, including refused ones, newest first", async () => {
      await acme.download("vpn_ip_v1", "mmdb");
      await acme.download("bogon_ip_v1", "csvgz");
      await acme.download("x".repeat(100), "mmdb");
      await acme.get("/api/v2/database/download", { "user-agent": "u".repeat(600) });
      const reply = await acme.get("/api/v2/database/downloads");
      expect(Value.Check(DownloadList, reply.json)).toBe(true);
      const common = {
        apikey_id: acme.keyId,
        client_ip: "127.0.0.1",
        created: test.clock.now().toISOString(),
        open: false,
        sample: false,
        patch: false,
      };
      const refused = { ...common, bytes: null, user_agent: "node" };
      expect(reply.json.downloads).toEqual([
        {
          ...refused,
          dataset_id: "",
          format: "",
          outcome: "unavailable",
          http_status: 400,
          user_agent: "u".repeat(512),
        },
        { ...refused, dataset_id: "x".repeat(64), format: "mmdb", outcome: "unknown", http_status: 404 },
        { ...refused, dataset_id: "bogon_ip_v1", format: "csvgz", outcome: "denied", http_status: 403 },
        {
          ...refused,
          dataset_id: "vpn_ip_v1",
          format: "mmdb",
          outcome: "ok",
          http_status: 302,
          bytes: fileBytes("mmdb", "content of vpn_ip_v1").length,
        },
      ]);
    });

    it("includes attempts with any key of the organization, even revoked ones, and no attempts of others", async () => {
      const other = await test.operator.customer("Other");
      await other.download("vpn_ip_v1", "mmdb");
      expect((await other.history()).map(({ outcome }) => outcome)).toEqual(["denied"]);
      const before = await other.history();
      await revokeKey(test.operator.operation(), acme.keyId);
      await test.operator.settle();
      expect((await acme.download("vpn_ip_v1", "mmdb")).status).toBe(401);
      const colleague = await test.operator.colleague(acme);
      const [newest] = await colleague.history("?limit=1");
      expect(newest).toMatchObject({ outcome: "unauthorized", http_status: 401, apikey_id: acme.keyId, bytes: null });
      expect(await other.history()).toEqual(before);
      acme = colleague;
    });

    it("shows attempts without a key only to the operator", async () => {
      await call(`${acme.apiUrl}/api/v2/database/download?id=no_key_v1&format=mmdb`);
      const [row] = await test.service.services.store.attempts.list({ limit: 1 });
      expect(row).toMatchObject({ datasetId: "no_key_v1", organizationId: null, keyId: null, cause: "missing" });
      expect((await acme.history()).some(({ dataset_id }) => dataset_id === "no_key_v1")).toBe(false);
    });

    it("clamps limit to 1..200 and ignores invalid limit and before values", async () => {
      const { organizationId, keyId } = acme;
      const created = test.clock.now();
      const many = Array.from({ length: 210 }, (_, i) =>
        attempt({ organizationId, keyId, datasetId: `page_${i}`, created }),
      );
      await test.service.services.store.attempts.append(many);
      const lengths: [string, number][] = [
        ["", 50],
        ["?limit=7", 7],
        ["?limit=200", 200],
        ["?limit=201", 200],
        ["?limit=99999999999999999999", 200],
        ["?limit=0", 1],
        ["?limit=-5", 1],
        ["?limit=many", 50],
        ["?limit=", 50],
        ["?limit=1.5", 50],
        ["?limit=1&limit=2", 50],
        ["?limit[]=3", 50],
        ["?before=nonsense", 50],
      ];
      for (const [query, length] of lengths)
        expect([query, (await acme.history(query)).length]).toEqual([query, length]);
    });

    it("pages through the Link header without repeating or skipping rows", async () => {
      const all = await test.service.services.store.attempts.list({ organizationId: acme.organizationId, limit: 1000 });
      const seen: string[] = [];
      let next: string | undefined = "/api/v2/database/downloads?limit=60";
      while (next) {
        const page = await acme.get(next);
        seen.push(...page.json.downloads.map((row: { dataset_id: string }) => row.dataset_id));
        next = /^<([^>]+)>; rel="next"$/.exec(page.headers.get("link") ?? "")?.[1];
      }
      expect(seen).toEqual(all.map(({ datasetId }) => datasetId));
    });
  });
}
