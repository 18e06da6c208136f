import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eitherEngine } from "../../../../rigs/harness/service/engines.ts";
import { ALLOW_LOOPBACK, Receiver } from "../domain/webhooks/receiver.ts";
import { terminalOn } from "./terminal.ts";

for (const engine of eitherEngine()) {
  describe(`webhooks on ${engine.name}`, () => {
    const terminal = terminalOn(engine);
    let receiver: Receiver;
    beforeAll(async () => {
      Object.assign(terminal.environment, ALLOW_LOOPBACK);
      receiver = await Receiver.start();
      await terminal.run("orgs", "add", "Acme");
    });
    afterAll(() => receiver.close());

    const run = (...argv: string[]) => terminal.run("webhooks", ...argv);
    const json = <T = unknown>(...argv: string[]) => terminal.json<T>("webhooks", ...argv);

    it("are created, tested, inspected, changed and deleted", async () => {
      expect((await run("list")).out).toBe("No webhooks yet.\n");
      const created = await run("create", "--org", "Acme", "--url", receiver.url(), "--events", "key.created");
      expect(created.out).toMatch(/^secret +whsec_\S+\nStore the secret now: it is not shown again\.\n$/m);
      const [{ id }] = (await json<{ id: string }[]>("list", "Acme")) as [{ id: string }];
      expect((await run("list")).out).toMatch(/ Acme +enabled +key\.created +never/);

      expect(await json("rotate", id)).toMatchObject({ id, secret: expect.stringMatching(/^whsec_/) });
      expect(await json("test", id)).toMatchObject({ outcome: "delivered", http_status: 204 });
      expect(receiver.types()).toEqual(["webhook.test"]);

      receiver.respond = () => 500;
      const failed = await run("test", id);
      expect([failed.exitCode, failed.out]).toEqual([1, expect.stringMatching(/^response +500$/m)]);
      const [{ id: delivery }] = (await json<{ id: string }[]>("deliveries", id)) as [{ id: string }];
      expect((await run("deliveries", id)).out).toMatch(/ webhook\.test +1 +failed +500 /);
      expect((await run("delivery", id, delivery)).out).toMatch(/^> webhook-signature: v1,\S+ v1,\S+$/m);
      expect((await run("redeliver", id, delivery)).err).toContain("tests and old events cannot be sent again");

      const changed = ["--disable", "--events", "all", "--description", "off"];
      expect(await json("update", id, ...changed)).toMatchObject({ enabled: false, event_types: null });
      expect((await run("list")).out).toMatch(/ Acme +disabled +all +.* off /);
      expect(await json("update", id, "--enable")).toMatchObject({ enabled: true });
      expect((await run("delete", id)).out).toBe(`Deleted the webhook for ${receiver.url()}.\n`);
      expect(await json("list")).toEqual([]);
    });

    it("are refused with wrong events, contradicting options, or if they do not exist", async () => {
      const url = ["--org", "Acme", "--url", receiver.url()];
      for (const [argv, message] of [
        [["create", ...url, "--events", "key.lost"], '"key.lost" is not an event type: choose from '],
        [["create", ...url, "--events", ","], '--events: name at least one event type, or "all"'],
        [["update", "0199", "--enable", "--disable"], "use either --enable or --disable"],
        [["test", "0199"], "there is no such webhook"],
      ] as const) {
        const { exitCode, out, err } = await run(...argv);
        expect([exitCode === 0, out, err]).toEqual([false, "", expect.stringContaining(message)]);
      }
    });
  });
}
