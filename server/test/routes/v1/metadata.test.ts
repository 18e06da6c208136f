import { LegacyMetadata } from "@dbdepot/contract/metadata";
import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stages } from "../../stages.ts";
import { fileBytes, type TestService, testService } from "../../test-service.ts";
import { type V1Scene, v1Scene } from "./legacy-customer.ts";

for (const stage of stages()) {
  describe(`4.2 GET /api/v1/database/metadata on ${stage.name}`, () => {
    let test: TestService;
    let scene: V1Scene;

    beforeAll(async () => {
      test = await testService(stage);
      scene = await v1Scene(test);
    });
    afterAll(() => test.dispose());

    const size = (id: string, format: "csvgz" | "mmdb") => fileBytes(format, `content of ${id}`).length;

    it("2.6 200 {rc: SUCCESS, data}: updated, entries, size of csvgz and of mmdb", async () => {
      const reply = await scene.old.metadata("vpn_ip_v1");
      expect(reply.status).toBe(200);
      const sizes = { csvgz: size("vpn_ip_v1", "csvgz"), mmdb: size("vpn_ip_v1", "mmdb") };
      expect(reply.json).toEqual({ rc: "SUCCESS", data: { updated: "2026-11-01", entries: 1, size: sizes } });
      expect(Value.Check(LegacyMetadata, reply.json)).toBe(true);
    });

    it("2.6 size: mmdb is omitted when the dataset has no MMDB output", async () => {
      const { data } = (await scene.old.metadata("hosting_provider_v1")).json;
      expect(data.size).toEqual({ csvgz: size("hosting_provider_v1", "csvgz") });
    });

    it("2.6 size: csvgz is always there, and 0 where there is no such file", async () => {
      const { data } = (await scene.old.metadata("geo_ip_v1")).json;
      expect(data.size).toEqual({ csvgz: 0, mmdb: size("geo_ip_v1", "mmdb") });
    });

    it("takes no format, and does not mind one", async () => {
      const reply = await scene.old.get("metadata", { id: "vpn_ip_v1", format: "zip" });
      expect(reply.status).toBe(200);
    });

    it("leaves no row in the history", async () => {
      expect(await scene.admin.history()).toEqual([]);
    });
  });
}
