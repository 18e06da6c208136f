import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { announce, type NewEvent } from "../../../src/domain/events/events.ts";
import { updateOrganization } from "../../../src/domain/organizations/organizations.ts";
import type { Store } from "../../../src/domain/store.ts";
import type { Webhook } from "../../../src/domain/webhooks/webhook.ts";
import { createWebhook, updateWebhook, type WebhookRequest } from "../../../src/domain/webhooks/webhooks.ts";
import { startService } from "../../../src/service/service.ts";
import { ALLOW_LOOPBACK, isSignedWith, Receiver } from "./receiver.ts";

const DAY_SECONDS = 24 * 60 * 60;

for (const stage of eitherStage()) {
  describe(`Webhooks on ${stage.name}`, () => {
    let test: TestService;
    let receiver: Receiver;
    let store: Store;
    let acme: string;

    beforeEach(async () => {
      test = await testService(stage, ALLOW_LOOPBACK);
      receiver = await Receiver.start();
      store = test.service.services.store;
      acme = (await test.operator.customer("Acme")).organizationId;
    });
    afterEach(async () => {
      await receiver.close();
      await test.dispose();
    });

    function create(request: Partial<WebhookRequest> = {}, organizationId = acme): Promise<Webhook> {
      const operation = { ...test.operator.operation(), rules: { webhookPrivateNetworks: ["127.0.0.0/8"] } };
      return createWebhook(operation, async () => ({ id: organizationId }), { url: receiver.url(), ...request });
    }

    /** Announces an event about the organization's own key, and returns its id. */
    async function announceKey(name: string, organizationId = acme): Promise<string> {
      return announceEvent({ type: "key.created", organizationId, data: { name } });
    }

    async function announceEvent(event: NewEvent): Promise<string> {
      return store.change(async (tables) => {
        await announce(tables, { now: test.clock.now() }, event);
        return (await tables.events.latest())?.id ?? "";
      });
    }

    function published(id: string): NewEvent {
      return { type: "build.published", base: id.replace(/_v1$/, ""), data: { id } };
    }

    async function stateOf({ id }: Webhook): Promise<Webhook> {
      const webhook = await store.webhooks.byId(id);
      if (!webhook) throw new Error("the webhook is gone");
      return webhook;
    }

    async function log({ id }: Webhook) {
      return (await store.webhooks.deliveries({ webhookId: id, limit: 100 })).reverse();
    }

    it("get signed events from their creation on", async () => {
      await announceKey("before");
      const webhook = await create();
      const id = await announceKey("after");
      await expect.poll(() => receiver.ids()).toEqual([id]);
      const [received] = receiver.received;
      if (!received) throw new Error("nothing was received");
      expect(received.body).toEqual({
        id,
        type: "key.created",
        timestamp: test.clock.now().toISOString(),
        data: { name: "after" },
      });
      expect(isSignedWith(webhook.secret.reveal(), received)).toBe(true);
      expect(isSignedWith("whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD", received)).toBe(false);
      await expect.poll(async () => (await stateOf(webhook)).progress.lastDelivered).toEqual(test.clock.now());
      expect(await log(webhook)).toMatchObject([
        { eventId: id, eventType: "key.created", attempt: 1, trigger: "event", outcome: "delivered", httpStatus: 204 },
      ]);
    });

    it("get only the types that they want, and only what their organization may download", async () => {
      const { operator } = test;
      const globex = (await operator.customer("Globex")).organizationId;
      await operator.addDatabase("vpn_ip_v1");
      await operator.addDatabase("secret_ip_v1", { visibility: "private" });
      await create({ url: receiver.url("/acme") });
      await create({ url: receiver.url("/globex") }, globex);
      await create({ url: receiver.url("/builds"), eventTypes: ["build.published"] });
      await operator.grant("Acme", "vpn_ip");
      await operator.grant("Globex", "secret_ip");
      await announceEvent(published("vpn_ip_v1"));
      await announceEvent(published("secret_ip_v1"));
      await announceKey("last", acme);
      await announceKey("last", globex);
      await expect.poll(() => receiver.types("/acme").at(-1)).toBe("key.created");
      await expect.poll(() => receiver.types("/globex").at(-1)).toBe("key.created");
      await expect.poll(() => receiver.types("/builds")).toEqual(["build.published"]);
      expect(receiver.types("/acme")).toEqual(["licence.granted", "build.published", "key.created"]);
      expect(receiver.types("/globex")).toEqual(["licence.granted", "build.published", "key.created"]);
      const sentToAcme = receiver.received.filter(({ path }) => path !== "/globex").map(({ raw }) => raw);
      expect(sentToAcme.join()).not.toContain("secret_ip");
    });

    it("get events in order, although one fails at first", async () => {
      const webhook = await create();
      let failures = 3;
      receiver.respond = () => (failures-- > 0 ? 500 : 200);
      const ids = [await announceKey("one"), await announceKey("two"), await announceKey("three")];
      for (let attempt = 1; attempt <= 3; attempt += 1) {
        await expect.poll(() => receiver.ids()).toEqual(Array(attempt).fill(ids[0]));
        await expect.poll(async () => (await stateOf(webhook)).progress.attempts).toBe(attempt);
        test.clock.advance("600 seconds");
      }
      await expect.poll(() => receiver.ids()).toEqual([ids[0], ids[0], ids[0], ...ids]);
      await expect.poll(async () => (await log(webhook)).length).toBe(6);
      expect((await log(webhook)).map(({ attempt, outcome }) => [attempt, outcome])).toEqual([
        [1, "failed"],
        [2, "failed"],
        [3, "failed"],
        [4, "delivered"],
        [1, "delivered"],
        [1, "delivered"],
      ]);
      await expect
        .poll(async () => (await stateOf(webhook)).progress)
        .toMatchObject({
          attempts: 0,
          firstAttempt: null,
          nextAttempt: null,
          failingSince: null,
        });
    });

    it("are not sent to again before the delay is over", async () => {
      const webhook = await create();
      receiver.respond = () => 503;
      await announceKey("one");
      await expect.poll(async () => (await stateOf(webhook)).progress.attempts).toBe(1);
      const { nextAttempt } = (await stateOf(webhook)).progress;
      const delay = (nextAttempt?.getTime() ?? 0) - test.clock.now().getTime();
      expect(delay).toBeGreaterThanOrEqual(4000);
      expect(delay).toBeLessThanOrEqual(5000);
      test.clock.advance("3 seconds");
      expect(await store.webhooks.due(test.clock.now(), 10)).toEqual([]);
      test.clock.advance("2 seconds");
      await expect.poll(async () => (await stateOf(webhook)).progress.attempts).toBe(2);
    });

    it("give up on an event after 24 hours and get the next one", async () => {
      const webhook = await create();
      const [one, two] = [await announceKey("one"), await announceKey("two")];
      receiver.respond = ({ body }) => (body.data.name === "one" ? 500 : 200);
      await expect.poll(async () => (await stateOf(webhook)).progress.attempts).toBe(1);
      test.clock.advance(`${DAY_SECONDS - 1} seconds`);
      await expect.poll(async () => (await stateOf(webhook)).progress.attempts).toBe(2);
      expect((await stateOf(webhook)).progress.nextAttempt?.getTime()).toBe(test.clock.now().getTime() + 1000);
      test.clock.advance("1 seconds");
      await expect.poll(() => receiver.ids()).toEqual([one, one, one, two]);
      await expect
        .poll(async () => (await log(webhook)).map(({ outcome }) => outcome))
        .toEqual(["failed", "failed", "given_up", "delivered"]);
    });

    it("are disabled after a week without success, with an audit entry", async () => {
      const webhook = await create();
      receiver.respond = () => 500;
      await announceKey("one");
      await expect.poll(async () => (await stateOf(webhook)).progress.attempts).toBe(1);
      test.clock.advance("6 days");
      await announceKey("two");
      await expect.poll(async () => (await log(webhook)).length).toBe(3);
      expect((await stateOf(webhook)).disabled).toBeNull();
      test.clock.advance("1 days");
      await expect
        .poll(async () => (await stateOf(webhook)).disabled)
        .toEqual({
          at: test.clock.now(),
          reason: "failing",
        });
      const metrics = await test.service.services.metrics.registry.metrics();
      expect(metrics).toMatch(/^dbdepot_webhooks_disabled 1$/m);
      expect(metrics).toMatch(/^dbdepot_webhook_deliveries_total\{outcome="given_up"\} 2$/m);
      const [entry] = await store.audit.list({ subjects: [webhook.id], limit: 1 });
      expect(entry).toMatchObject({ action: "webhook.disabled", actor: "service" });
      const count = receiver.received.length;
      await announceKey("three");
      expect(await store.webhooks.due(test.clock.now(), 10)).toEqual([]);
      expect(receiver.received).toHaveLength(count);
    });

    it("are disabled at once by 410, and get the events from when they are enabled again", async () => {
      const webhook = await create();
      receiver.respond = () => 410;
      await announceKey("one");
      await expect.poll(async () => (await stateOf(webhook)).disabled?.reason).toBe("gone");
      await announceKey("two");
      receiver.respond = () => 200;
      await updateWebhook(test.operator.operation(), () => stateOf(webhook), { isEnabled: true });
      const three = await announceKey("three");
      await expect.poll(() => receiver.ids().slice(1)).toEqual([three]);
    });

    it("get no events while their organization is archived, and none of that time later", async () => {
      const webhook = await create();
      await updateOrganization(test.operator.operation(), acme, { isArchived: true });
      const missed = await announceKey("missed");
      await expect.poll(async () => (await stateOf(webhook)).progress.position.id).toBe(missed);
      await updateOrganization(test.operator.operation(), acme, { isArchived: false });
      const next = await announceKey("next");
      await expect.poll(() => receiver.ids()).toEqual([next]);
    });

    it("skip an event that the organization may no longer see when it is sent again", async () => {
      await test.operator.addDatabase("vpn_ip_v1");
      const expires = new Date(test.clock.now().getTime() + 3_600_000);
      await test.operator.grant("Acme", "vpn_ip", { starts: test.clock.now(), expires });
      const webhook = await create({ eventTypes: ["build.published"] });
      receiver.respond = () => 500;
      const id = await announceEvent(published("vpn_ip_v1"));
      await expect.poll(async () => (await stateOf(webhook)).progress.attempts).toBe(1);
      test.clock.advance("3600 seconds");
      await expect
        .poll(async () => (await stateOf(webhook)).progress)
        .toMatchObject({
          position: { id },
          attempts: 0,
          nextAttempt: null,
        });
      expect(receiver.ids()).toEqual([id]);
    });

    it("get each event once from several servers", async () => {
      const replica = await startService(test.stage.settings, { clock: test.clock.now });
      try {
        const paths = ["/a", "/b", "/c", "/d", "/e"];
        for (const path of paths) await create({ url: receiver.url(path) });
        receiver.respond = () => new Promise((resolve) => setTimeout(resolve, 5, 200));
        const ids: string[] = [];
        for (let i = 0; i < 30; i += 1) ids.push(await announceKey(`key ${i}`));
        for (const path of paths) {
          await expect.poll(() => receiver.ids(path).length).toBeGreaterThanOrEqual(ids.length);
        }
        const claimed = async () =>
          (await test.stage.dump()).webhook_endpoints?.filter((row) => row.claimed_by !== null).length;
        await expect.poll(claimed).toBe(0);
        for (const path of paths) expect(receiver.ids(path)).toEqual(ids);
      } finally {
        await replica.close();
      }
    });

    it("of one organization that respond slowly don't delay those of others", async () => {
      const globex = (await test.operator.customer("Globex")).organizationId;
      const release = Promise.withResolvers<number>();
      receiver.respond = ({ path }) => (path === "/slow" ? release.promise : 200);
      for (let i = 0; i < 20; i += 1) await create({ url: receiver.url("/slow") });
      await create({ url: receiver.url("/fast") }, globex);
      await announceKey("slow");
      await announceKey("fast", globex);
      await expect.poll(() => receiver.ids("/fast")).toHaveLength(1);
      await expect.poll(() => receiver.ids("/slow")).toHaveLength(4);
      release.resolve(200);
      await expect.poll(() => receiver.ids("/slow")).toHaveLength(20);
    });
  });
}
