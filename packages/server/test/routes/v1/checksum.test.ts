import { LegacyChecksums } from "@dbdepot/contract/v1/files";
import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import {
  checksumsOf,
  fileBytes,
  type TestService,
  testService,
} from "../../../../../rigs/harness/service/test-service.ts";
import { type V1Fixture, v1Fixture } from "./legacy-customer.ts";

for (const stage of eitherStage()) {
  describe(`GET /api/v1/database/checksum on ${stage.name} (interface 4.2)`, () => {
    let test: TestService;
    let fixture: V1Fixture;

    beforeAll(async () => {
      test = await testService(stage);
      fixture = await v1Fixture(test);
    });
    afterAll(() => test.dispose());

    it("returns the four digests of the file in each format", async () => {
      for (const format of ["csvgz", "mmdb"] as const) {
        const reply = await fixture.legacy.checksum("vpn_ip_v1", format);
        expect(reply.status).toBe(200);
        const data = checksumsOf(fileBytes(format, "content of vpn_ip_v1"));
        expect(reply.json).toEqual({ rc: "SUCCESS", data });
        expect(Value.Check(LegacyChecksums, reply.json)).toBe(true);
      }
    });

    it("returns the digests of the current build after a new one is published", async () => {
      const build = await test.operator.publish("vpn_ip_v1", "newer");
      const reply = await fixture.legacy.checksum("vpn_ip_v1", "mmdb");
      expect(reply.json.data).toEqual(checksumsOf(fileBytes("mmdb", "newer")));
      expect(reply.headers.get("x-build-id")).toBe(build.id);
    });

    it("does not appear in the download history", async () => {
      expect(await fixture.admin.history()).toEqual([]);
    });
  });
}
