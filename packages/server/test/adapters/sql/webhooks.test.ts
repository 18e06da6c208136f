import { describe, expect, it } from "vitest";
import { engines, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import { TestClock } from "../../../../../rigs/harness/service/test-clock.ts";
import { announce } from "../../../src/domain/events/events.ts";
import { addOrganization } from "../../../src/domain/organizations/organizations.ts";
import type { Webhook } from "../../../src/domain/webhooks/webhook.ts";
import { createWebhook } from "../../../src/domain/webhooks/webhooks.ts";

for (const engine of engines) {
  describe(`The store of webhooks on ${engine.name}`, () => {
    const opened = sharedStore(engine);
    const clock = new TestClock();
    let organizations = 0;

    /** A webhook with an event to send. */
    async function dueWebhook(): Promise<Webhook> {
      const operation = { store: opened.store, actor: "test", now: clock.now() };
      organizations += 1;
      const organization = await addOrganization(operation, `Organization ${organizations}`);
      const webhook = await createWebhook(operation, async () => organization, { url: "https://hooks.example.com/" });
      await opened.store.change((tables) =>
        announce(tables, operation, { type: "key.created", organizationId: organization.id, data: {} }),
      );
      return webhook;
    }

    const inSeconds = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000);
    const isDue = async ({ id }: Webhook) =>
      (await opened.store.webhooks.due(clock.now(), 100)).some((due) => due.id === id);

    it("lets exactly one of several processes claim a webhook", async () => {
      const { webhooks } = opened.store;
      const webhook = await dueWebhook();
      expect(await isDue(webhook)).toBe(true);
      const names = Array.from({ length: 10 }, (_, index) => `process ${index}`);
      const claims = await Promise.all(
        names.map((by) => webhooks.claim(webhook.id, { by, until: inSeconds(60) }, clock.now())),
      );
      expect(claims.filter((claimed) => claimed !== undefined)).toEqual([webhook]);
      expect(await isDue(webhook)).toBe(false);
    });

    it("lets another process claim it after the claim has expired, and ignores the first one from then on", async () => {
      const { webhooks } = opened.store;
      const webhook = await dueWebhook();
      const first = { by: "first", until: inSeconds(60) };
      await webhooks.claim(webhook.id, first, clock.now());
      clock.advance("60 seconds");
      const second = { by: "second", until: inSeconds(60) };
      expect(await webhooks.claim(webhook.id, second, clock.now())).toEqual(webhook);
      const position = (await opened.store.events.latest()) ?? webhook.progress.position;
      const progress = { ...webhook.progress, position, lastDelivered: clock.now() };
      expect(await webhooks.advance(webhook.id, first, progress)).toBe(false);
      await webhooks.release(webhook.id, "first");
      expect(await isDue(webhook)).toBe(false);
      expect(await webhooks.byId(webhook.id)).toEqual(webhook);
      expect(await webhooks.advance(webhook.id, second, progress)).toBe(true);
      await webhooks.release(webhook.id, "second");
      expect(await webhooks.byId(webhook.id)).toEqual({ ...webhook, progress });
      expect(await isDue(webhook)).toBe(false);
    });

    it("ends the claim when the webhook is changed, restarted or deleted", async () => {
      const { webhooks } = opened.store;
      const changes = [
        (webhook: Webhook) => webhooks.update({ ...webhook, description: "changed" }),
        (webhook: Webhook) => webhooks.restart(webhook.id),
        (webhook: Webhook) => webhooks.remove(webhook.id),
      ];
      for (const change of changes) {
        const webhook = await dueWebhook();
        const claim = { by: "process", until: inSeconds(60) };
        await webhooks.claim(webhook.id, claim, clock.now());
        await change(webhook);
        expect(await webhooks.advance(webhook.id, claim, webhook.progress)).toBe(false);
      }
    });

    it("waits for the next attempt, and says how old the oldest waiting event is", async () => {
      const { webhooks } = opened.store;
      const webhook = await dueWebhook();
      const claim = { by: "process", until: inSeconds(60) };
      await webhooks.claim(webhook.id, claim, clock.now());
      const progress = { ...webhook.progress, attempts: 1, firstAttempt: clock.now(), nextAttempt: inSeconds(5) };
      await webhooks.advance(webhook.id, claim, progress);
      await webhooks.release(webhook.id, claim.by);
      expect(await isDue(webhook)).toBe(false);
      clock.advance("5 seconds");
      expect(await isDue(webhook)).toBe(true);
      const { oldest } = await webhooks.backlog();
      expect(oldest && oldest <= webhook.created).toBe(true);
    });

    it("lists deliveries without what was sent and received, and removes old ones", async () => {
      const { webhooks } = opened.store;
      const { id: webhookId } = await dueWebhook();
      const delivery = {
        webhookId,
        eventId: "e",
        eventType: "webhook.test",
        attempt: 1,
        trigger: "test",
        outcome: "failed",
        httpStatus: null,
        error: "host not found",
        durationMs: 3,
      } as const;
      const [old, recent] = [
        { ...delivery, id: "1", created: inSeconds(-10) },
        { ...delivery, id: "2", created: clock.now() },
      ];
      const contents = { request: { headers: { host: "a" }, body: "{}", isCut: false }, response: null };
      await webhooks.addDelivery({ ...old, ...contents });
      await webhooks.addDelivery({ ...recent, ...contents });
      const amount = await webhooks.oldDeliveries.amountBefore(clock.now());
      expect(amount).toEqual({ count: 1, bytes: expect.any(Number), oldest: old.created });
      expect(amount.bytes).toBeGreaterThan(JSON.stringify(contents.request).length);
      expect(await webhooks.oldDeliveries.removeBefore(clock.now(), 10)).toBe(1);
      expect(await webhooks.deliveries({ webhookId, limit: 10 })).toEqual([recent]);
      expect(await webhooks.delivery(webhookId, recent.id)).toEqual({ ...recent, ...contents });
    });
  });
}
