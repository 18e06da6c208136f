import { describe, expect, it } from "vitest";
import { call } from "../../../../rigs/harness/service/customer.ts";
import { eitherStage, filesUnder } from "../../../../rigs/harness/service/stages.ts";
import { testService } from "../../../../rigs/harness/service/test-service.ts";
import { rotateKey } from "../../src/domain/keys/keys.ts";
import { robotOf } from "../routes/operator/robot.ts";

for (const stage of eitherStage()) {
  describe(`Secrets on ${stage.name}`, () => {
    it("never appear in logs, the database or the data directory", async () => {
      const test = await testService(stage);
      try {
        const { operator, service } = test;
        const acme = await operator.customer("Acme");
        await operator.addDatabase("vpn_ip_v1");
        await operator.grant("Acme", "vpn_ip");
        await operator.publish("vpn_ip_v1");
        const { uuid } = await operator.legacyCustomer(["vpn_ip_v1"], "Acme");
        const rotated = (await rotateKey(operator.operation(), acme.keyId, 60)).plain.reveal();
        await operator.settle();
        const secrets = [acme.key, rotated, uuid, uuid.replaceAll("-", ""), "dbd_mistyped_secret"];

        const signatures: string[] = [];
        for (const secret of secrets) {
          for (const path of ["list?", "download?id=vpn_ip_v1&format=mmdb&", "metadata?id=vpn_ip_v1&", "downloads?"]) {
            const url = `${service.apiUrl}/api/v2/database/${path}`;
            await call(url, { headers: { authorization: `Bearer ${secret}` } });
            await call(url, { headers: { "x-api-key": secret } });
            const reply = await call(`${url}apikey=${secret}`);
            const link = reply.headers.get("location");
            if (link) {
              signatures.push(new URL(link).searchParams.get("X-Amz-Signature") ?? "");
              await call(link);
            }
          }
          await call(`${service.apiUrl}/nowhere?apikey=${secret}`);
          await call(`${service.apiUrl}/%?apikey=${secret}`);
        }
        expect(signatures).not.toHaveLength(0);
        // Keys that were sent in the wrong parameter by mistake.
        for (const secret of [acme.key, rotated, uuid, uuid.replaceAll("-", "")]) {
          for (const api of ["v1", "v2"]) {
            const misplaced = `id=${secret}&format=${secret}&apikey=${secret}`;
            await call(`${service.apiUrl}/api/${api}/database/download?${misplaced}`, {
              headers: { "user-agent": secret },
            });
          }
        }

        const database = await test.databaseContent();
        expect(database).toContain("Acme");
        const stored = [test.logs(), database, await filesUnder(test.dataDir)].join("\n");
        for (const secret of [...secrets, ...signatures]) expect(stored.includes(secret)).toBe(false);
      } finally {
        await test.dispose();
      }
    });

    it("are masked in the error messages that quote a request", async () => {
      const test = await testService(stage);
      try {
        const robot = await robotOf(test);
        const { key } = await test.operator.customer("Acme");
        const prefix = key.slice(0, key.lastIndexOf("_"));
        const replies = [
          await robot.get(`/builds/${key}`),
          await robot.get(`/organizations/${key}`),
          await robot.get(`/licences?org=${key}`),
          await robot.post("/versions", { id: key, summary: "x", formats: ["mmdb"] }),
        ];
        for (const { status, text } of replies) {
          expect(status).toBeGreaterThanOrEqual(400);
          expect(text).not.toContain(key);
          expect(text).toContain(`${prefix}_***`);
        }
      } finally {
        await test.dispose();
      }
    });
  });
}
