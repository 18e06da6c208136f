import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { eitherStage, filesUnder } from "../../../../../rigs/harness/service/stages.ts";
import { testService } from "../../../../../rigs/harness/service/test-service.ts";
import { newAdmin } from "./admin.ts";

for (const stage of eitherStage()) {
  describe(`Secrets of keys created over HTTP on ${stage.name}`, () => {
    it("appear only in the create and rotate responses, never in logs, the database, files or objects", async () => {
      const test = await testService(stage);
      try {
        const admin = await newAdmin(test, "Acme");
        await test.operator.addDatabase("vpn_ip_v1");
        await test.operator.publish("vpn_ip_v1");
        const headers = { "idempotency-key": "an-idempotency-key" };
        const created = await admin.create({ name: "ci", allowed_scopes: ["apikeys.manage", "db.download"] }, headers);
        const rotated = await admin.rotate(created.json.id, { overlap_seconds: 60 });
        await admin.create({ name: "ci" }, headers);
        const owner = admin.with(rotated);
        await owner.update(owner.keyId, { name: "renamed" });
        await owner.download("vpn_ip_v1", "mmdb");
        const failed = await admin.create({ name: created.json.key, unknown: rotated.json.key });
        expect(failed.status).toBe(400);
        await admin.send("POST", `/${rotated.json.key}/rotate`);
        const listed = await admin.send("GET", "");
        await admin.revoke(created.json.id);

        const objects: string[] = [];
        for await (const { key } of test.service.services.objects.list("")) {
          objects.push(key, await text(await test.service.services.objects.read(key)));
        }
        const stored = [
          test.logs(),
          await test.databaseContent(),
          await filesUnder(test.dataDir),
          listed.text,
          ...objects,
        ].join("\n");
        for (const { json } of [created, rotated]) {
          expect(stored).toContain(json.key_prefix);
          expect(stored.includes(json.key.slice(json.key_prefix.length + 1))).toBe(false);
        }
        expect(stored.includes("an-idempotency-key")).toBe(false);
      } finally {
        await test.dispose();
      }
    });
  });
}
