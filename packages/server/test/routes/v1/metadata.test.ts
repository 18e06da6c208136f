import { LegacyMetadata } from "@dbdepot/contract/v1/files";
import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { fileBytes, type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { type V1Fixture, v1Fixture } from "./legacy-customer.ts";

for (const stage of eitherStage()) {
  describe(`GET /api/v1/database/metadata on ${stage.name} (interface 4.2)`, () => {
    let test: TestService;
    let fixture: V1Fixture;

    beforeAll(async () => {
      test = await testService(stage);
      fixture = await v1Fixture(test);
    });
    afterAll(() => test.dispose());

    const size = (id: string, format: "csvgz" | "mmdb") => fileBytes(format, `content of ${id}`).length;

    it("returns the update date, the number of entries and the size of each format (interface 2.6)", async () => {
      const reply = await fixture.legacy.metadata("vpn_ip_v1");
      expect(reply.status).toBe(200);
      const sizes = { csvgz: size("vpn_ip_v1", "csvgz"), mmdb: size("vpn_ip_v1", "mmdb") };
      expect(reply.json).toEqual({ rc: "SUCCESS", data: { updated: "2026-11-01", entries: 1, size: sizes } });
      expect(Value.Check(LegacyMetadata, reply.json)).toBe(true);
    });

    it("omits the mmdb size if the database is not built in mmdb (interface 2.6)", async () => {
      const { data } = (await fixture.legacy.metadata("hosting_provider_v1")).json;
      expect(data.size).toEqual({ csvgz: size("hosting_provider_v1", "csvgz") });
    });

    it("returns a csvgz size of 0 if the database is not built in csvgz (interface 2.6)", async () => {
      const { data } = (await fixture.legacy.metadata("geo_ip_v1")).json;
      expect(data.size).toEqual({ csvgz: 0, mmdb: size("geo_ip_v1", "mmdb") });
    });

    it("ignores the format parameter", async () => {
      const reply = await fixture.legacy.get("metadata", { id: "vpn_ip_v1", format: "zip" });
      expect(reply.status).toBe(200);
    });

    it("does not appear in the download history", async () => {
      expect(await fixture.admin.history()).toEqual([]);
    });
  });
}
