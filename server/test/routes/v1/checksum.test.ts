import { LegacyChecksums } from "@dbdepot/contract/checksums";
import { Value } from "typebox/value";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stages } from "../../stages.ts";
import { checksumsOf, fileBytes, type TestService, testService } from "../../test-service.ts";
import { type V1Scene, v1Scene } from "./legacy-customer.ts";

for (const stage of stages()) {
  describe(`4.2 GET /api/v1/database/checksum on ${stage.name}`, () => {
    let test: TestService;
    let scene: V1Scene;

    beforeAll(async () => {
      test = await testService(stage);
      scene = await v1Scene(test);
    });
    afterAll(() => test.dispose());

    it("200 {rc: SUCCESS, data} with the four digests of what a download sends, in each format", async () => {
      for (const format of ["csvgz", "mmdb"] as const) {
        const reply = await scene.old.checksum("vpn_ip_v1", format);
        expect(reply.status).toBe(200);
        const data = checksumsOf(fileBytes(format, "content of vpn_ip_v1"));
        expect(reply.json).toEqual({ rc: "SUCCESS", data });
        expect(Value.Check(LegacyChecksums, reply.json)).toBe(true);
      }
    });

    it("is of the currently published version", async () => {
      const build = await test.operator.publish("vpn_ip_v1", "newer");
      const reply = await scene.old.checksum("vpn_ip_v1", "mmdb");
      expect(reply.json.data).toEqual(checksumsOf(fileBytes("mmdb", "newer")));
      expect(reply.headers.get("x-build-id")).toBe(build.id);
    });

    it("leaves no row in the history", async () => {
      expect(await scene.admin.history()).toEqual([]);
    });
  });
}
