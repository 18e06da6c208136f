import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Customer } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { runCommand } from "../../commands/terminal.ts";
import { ALLOW_LOOPBACK, Receiver } from "../../domain/webhooks/receiver.ts";
import { type Robot, robotOf } from "./robot.ts";

for (const stage of eitherStage()) {
  describe(`Webhooks of all organizations on ${stage.name}`, () => {
    let test: TestService;
    let receiver: Receiver;
    let acme: Customer;
    let robot: Robot;
    beforeAll(async () => {
      test = await testService(stage, ALLOW_LOOPBACK);
      receiver = await Receiver.start();
      acme = await test.operator.customer("Acme");
      await test.operator.customer("Globex");
      robot = await robotOf(test);
    });
    afterAll(async () => {
      await receiver.close();
      await test.dispose();
    });

    it("are managed through the API", async () => {
      const { secret, ...created } = await robot.request("POST", "/webhooks", { org: "Acme", url: receiver.url() });
      expect(secret).toMatch(/^whsec_/);
      const webhook = { ...created, organization_id: acme.organizationId };
      const { id } = created;
      await robot.request("POST", "/webhooks", { org: "Globex", url: receiver.url("/globex") });
      expect((await robot.all("/webhooks?org=Acme", "webhooks")).flat()).toEqual([webhook]);
      expect((await robot.all("/webhooks?limit=1", "webhooks")).flat()).toHaveLength(2);
      const change = { event_types: ["key.revoked"], description: "changed" };
      expect(await robot.request("PATCH", `/webhooks/${id}`, change)).toEqual({ ...webhook, ...change });
      expect((await robot.request("POST", `/webhooks/${id}/rotate`)).secret).not.toBe(secret);
      expect(await robot.request("POST", `/webhooks/${id}/test`)).toMatchObject({ outcome: "delivered" });
      await robot.request("POST", `/webhooks/${id}/test`);
      expect((await robot.all(`/webhooks/${id}/deliveries?limit=1`, "deliveries")).flat()).toHaveLength(2);
      expect((await robot.send("POST", `/webhooks/${id}/deliveries/${id}/redeliver`)).json).toEqual({
        rc: "NOT_FOUND",
        message: "there is no such delivery",
      });
      expect(await robot.request("DELETE", `/webhooks/${id}`)).toEqual({ id });
      expect((await robot.send("DELETE", `/webhooks/${id}`)).json).toEqual({
        rc: "NOT_FOUND",
        message: "there is no such webhook",
      });
      expect((await robot.post("/webhooks", { org: "Acme", url: "https://10.0.0.1" })).json).toEqual({
        rc: "INVALID_URL",
        message: "the URL of a webhook must not point to a private or reserved address",
      });
    });

    it("are managed with commands", async () => {
      const run = (...args: string[]) => runCommand(["webhooks", ...args], test.stage.environment);
      const json = async (...args: string[]) => JSON.parse((await run(...args, "--json")).out);
      const { id, secret } = await json(
        "create",
        "--org",
        "Acme",
        "--url",
        receiver.url("/cli"),
        "--events",
        "key.created",
      );
      expect(secret).toMatch(/^whsec_/);
      expect((await run("list", "Acme")).out).toMatch(/\/cli +Acme +enabled +key\.created +never/);
      expect((await run("test", id)).out).toMatch(/^outcome +delivered$/m);
      receiver.respond = () => 500;
      const failed = await run("test", id);
      expect([failed.exitCode, failed.out]).toEqual([1, expect.stringMatching(/^response +500$/m)]);
      receiver.respond = () => 204;
      expect((await run("deliveries", id)).out.match(/webhook\.test/g)).toHaveLength(2);
      expect((await json("update", id, "--disable", "--events", "all")).disabled_reason).toBe("manual");
      expect((await run("list")).out).toContain("disabled");
      expect((await json("update", id, "--enable")).enabled).toBe(true);
      expect((await run("rotate", id)).out).toContain("Store the secret now");
      const wrong = await run("update", id, "--events", "build.deleted");
      expect([wrong.exitCode, wrong.err]).toEqual([2, expect.stringContaining('"build.deleted" is not an event type')]);
      expect((await run("delete", id)).out).toBe(`Deleted the webhook for ${receiver.url("/cli")}.\n`);
      expect((await run("redeliver", id, id)).err).toContain("there is no such webhook");
    });
  });
}
