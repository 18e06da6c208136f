import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eitherStage } from "../../../../rigs/harness/service/stages.ts";
import { ALLOW_LOOPBACK, Receiver } from "../../../server/test/domain/webhooks/receiver.ts";
import type { Delivery, IssuedWebhook, Webhook } from "../../src/api/wire.gen.ts";
import { DbdepotClient, verifyWebhook } from "../../src/index.ts";
import { Shell } from "./shell.ts";

for (const stage of eitherStage()) {
  describe(`dbdepot webhooks on ${stage.name}`, () => {
    let shell: Shell;
    let receiver: Receiver;
    beforeAll(async () => {
      shell = await Shell.open(ALLOW_LOOPBACK, stage);
      receiver = await Receiver.start();
    });
    afterAll(async () => {
      await receiver.close();
      await shell.dispose();
    });

    const json = <T>(...args: string[]) => shell.json(0, "webhooks", ...args) as Promise<T>;

    it("creates, tests, inspects, changes and deletes webhooks", async () => {
      expect((await shell.run("webhooks", "list")).out).toBe("No webhooks.\n");
      const created = await shell.run("webhooks", "create", receiver.url(), "--events", "key.created");
      expect(created.out).toMatch(/^secret +whsec_\S+\nStore the secret now: it is not shown again\.\n$/m);
      const [webhook] = await json<Webhook[]>("list");
      const id = webhook?.id ?? "";
      expect((await shell.run("webhooks", "list")).out).toMatch(/\/ +enabled +key\.created +never/);

      const { secret } = await json<IssuedWebhook>("rotate", id.slice(0, 20));
      expect(await json<Delivery>("test", id)).toMatchObject({ outcome: "delivered", http_status: 204 });
      const { raw = "", headers = {} } = receiver.received[0] ?? {};
      expect(await verifyWebhook(raw, headers, secret)).toMatchObject({ type: "webhook.test" });

      receiver.respond = () => 500;
      await shell.test.operator.colleague(shell.customer);
      await expect.poll(async () => (await json<Delivery[]>("deliveries", id)).length).toBe(2);
      const [failed] = await json<Delivery[]>("deliveries", id, "--limit", "1");
      expect(failed).toMatchObject({ event_type: "key.created", outcome: "failed", http_status: 500 });
      const shown = await shell.run("webhooks", "delivery", id, failed?.id ?? "");
      expect(shown.out).toMatch(/^response +500$/m);
      expect(shown.out).toMatch(/^> webhook-signature: v1,\S+ v1,\S+$/m);
      expect(shown.out).toMatch(/^{"id":".*"type":"key.created"/m);
      expect(shown.out).toMatch(/^< date: /m);
      const again = await shell.run("webhooks", "redeliver", id, failed?.id ?? "");
      expect([again.exitCode, again.out]).toEqual([1, expect.stringMatching(/^response +500$/m)]);
      receiver.respond = () => 204;
      expect(await json("redeliver", id, failed?.id ?? "")).toMatchObject({ outcome: "delivered" });

      expect(await json("update", id, "--disable", "--events", "all", "--description", "off")).toMatchObject({
        enabled: false,
        event_types: null,
        description: "off",
      });
      expect((await shell.run("webhooks", "list")).out).toMatch(/ disabled +all /);
      expect(await json("update", id, "--enable")).toMatchObject({ enabled: true });
      expect((await shell.run("webhooks", "delete", id)).out).toBe(`Deleted the webhook ${id}.\n`);
      expect(await json("list")).toEqual([]);
    });

    it("explains what went wrong", async () => {
      const errorOf = async (...args: string[]) => (await shell.run("webhooks", ...args)).err;
      expect(await errorOf("create", "https://10.0.0.1/")).toContain("must not point to a private address");
      expect(await errorOf("create", receiver.url(), "--events", "nonsense")).toContain(
        "a field of the request is invalid",
      );
      expect(await errorOf("test", "0199")).toContain('no webhook has an id that begins with "0199"');
      expect(await errorOf("update", "0199")).toContain("name at least one option to change");
      const { id } = await json<IssuedWebhook>("create", receiver.url());
      expect(await errorOf("redeliver", id, id)).toContain("there is no such delivery");
    });

    it("are available in the library", async () => {
      const { apiUrl: baseUrl, key: apiKey } = shell.customer;
      const { webhooks } = new DbdepotClient({ baseUrl, apiKey, env: {} });
      const { id } = await webhooks.create({ url: receiver.url("/library"), event_types: ["build.published"] });
      expect(await webhooks.get(id)).toMatchObject({ url: receiver.url("/library"), enabled: true });
      for (let i = 0; i < 3; i += 1) await webhooks.test(id);
      const deliveries: Delivery[] = [];
      for await (const delivery of webhooks.deliveries(id)) deliveries.push(delivery);
      expect(deliveries).toHaveLength(3);
      await webhooks.delete(id);
      await expect(webhooks.get(id)).rejects.toMatchObject({ kind: "not_found" });
    });
  });
}
