import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eitherEngine, type OpenedStore } from "../../../../../rigs/harness/service/engines.ts";
import { TestClock } from "../../../../../rigs/harness/service/test-clock.ts";
import { announce } from "../../../src/domain/events/events.ts";
import { addOrganization } from "../../../src/domain/organizations/organizations.ts";
import type { Store } from "../../../src/domain/store.ts";
import { Dispatcher } from "../../../src/domain/webhooks/dispatcher.ts";
import { createSender } from "../../../src/domain/webhooks/sender.ts";
import { createWebhook } from "../../../src/domain/webhooks/webhooks.ts";
import { Register } from "../../../src/register/register.ts";
import { Receiver } from "./receiver.ts";

const privateNetworks = ["127.0.0.0/8"];

for (const engine of eitherEngine()) {
  describe(`A server that fails while it sends webhooks, on ${engine.name}`, () => {
    const clock = new TestClock();
    let opened: OpenedStore;
    let receiver: Receiver;
    beforeEach(async () => {
      opened = await engine.open();
      receiver = await Receiver.start();
    });
    afterEach(async () => {
      await receiver.close();
      await opened.dispose();
    });

    function dispatcherOf(store: Store, onFailure: (message: string) => void): Dispatcher {
      const register = new Register(store);
      const sender = createSender({ privateNetworks, isQuiet: async () => false });
      const dispatcher = new Dispatcher({
        store,
        register,
        sender,
        clock: clock.now,
        onDelivery: () => {},
        onFailure,
      });
      dispatcher.start();
      return dispatcher;
    }

    it("leaves the event to another one, which sends it again with the same id", async () => {
      const { store } = opened;
      const rules = { webhookPrivateNetworks: privateNetworks };
      const operation = { store, actor: "test", now: clock.now(), rules };
      const acme = await addOrganization(operation, "Acme");
      const { id } = await createWebhook(operation, async () => acme, { url: receiver.url() });
      const eventId = await store.change(async (tables) => {
        await announce(tables, operation, { type: "key.created", organizationId: acme.id, data: {} });
        return (await tables.events.latest())?.id;
      });

      const disconnected = () => Promise.reject(new Error("the connection was lost"));
      const failures: string[] = [];
      const first = dispatcherOf({ ...store, webhooks: { ...store.webhooks, advance: disconnected } }, (message) =>
        failures.push(message),
      );
      await expect.poll(() => failures).toEqual(["a webhook could not be served"]);
      await first.stop();
      expect(receiver.ids()).toEqual([eventId]);

      expect(await store.webhooks.due(clock.now(), 10)).toEqual([]);
      clock.advance("60 seconds");
      const second = dispatcherOf(store, (message) => failures.push(message));
      await expect.poll(async () => (await store.webhooks.byId(id))?.progress.position.id).toBe(eventId);
      await second.stop();
      expect(receiver.ids()).toEqual([eventId, eventId]);
      expect(receiver.received[1]?.raw).toBe(receiver.received[0]?.raw);
      expect(failures).toHaveLength(1);
    });
  });
}
