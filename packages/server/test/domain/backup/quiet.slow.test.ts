import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startMailServer } from "../../../../../rigs/harness/servers/mail-server.ts";
import { eitherEngine } from "../../../../../rigs/harness/service/engines.ts";
import { openStore } from "../../../src/adapters/sql/open.ts";
import { QUIET } from "../../../src/domain/backup/quiet.ts";
import { announce } from "../../../src/domain/events/events.ts";
import type { Store } from "../../../src/domain/store.ts";
import { Dispatcher } from "../../../src/domain/webhooks/dispatcher.ts";
import type { WebhookRequest } from "../../../src/domain/webhooks/sender.ts";
import type { Webhook } from "../../../src/domain/webhooks/webhook.ts";
import { createWebhook } from "../../../src/domain/webhooks/webhooks.ts";
import { DAY_MS } from "../../../src/platform/primitives/dates.ts";
import { Register } from "../../../src/register/register.ts";
import { startService } from "../../../src/service/service.ts";
import { parseSettings } from "../../../src/settings/settings.ts";
import { runCommand, terminalOn } from "../../commands/terminal.ts";
import { ALLOW_LOOPBACK, Receiver } from "../webhooks/receiver.ts";

for (const engine of eitherEngine()) {
  describe(`A copy of a server on ${engine.name}`, () => {
    const terminal = terminalOn(engine);
    let folder: string;
    let mails: Awaited<ReturnType<typeof startMailServer>>;
    let receiver: Receiver;
    let webhook: Webhook;
    let acme: string;
    let outside: Record<string, string>;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "dbdepot-test-"));
      mails = await startMailServer();
      receiver = await Receiver.start();
      const mail = { DBDEPOT_SMTP_URL: mails.url, DBDEPOT_MAIL_FROM: "depot@vendor.example", DBDEPOT_DIGEST_HOUR: "0" };
      outside = { ...ALLOW_LOOPBACK, ...mail };
      acme = (await terminal.json<{ id: string }>("orgs", "add", "Acme")).id;
      await terminal.json("accounts", "invite", "ada@acme.example", "--role", "admin", "--org", "Acme");
      const { store } = terminal.opened;
      const rules = { webhookPrivateNetworks: ["127.0.0.0/8"] };
      const operation = { store, actor: "test", now: new Date(), rules };
      webhook = await createWebhook(operation, async () => ({ id: acme }), { url: receiver.url() });
      await terminal.json("backup", join(folder, "backup"));
    });
    afterAll(async () => {
      await receiver.close();
      await mails[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    });

    /** Settings with an empty database of their own. */
    function environmentOf(name: string): Record<string, string> {
      const data = join(folder, name);
      const database = `sqlite:${join(data, "dbdepot.sqlite")}`;
      return { ...terminal.environment, ...outside, DBDEPOT_DATA_DIR: data, DBDEPOT_DATABASE_URL: database };
    }

    /** Runs a server on the next day, when digests are due, while there is an event to tell. */
    async function serving(environment: Record<string, string>, work: (store: Store, event: string) => Promise<void>) {
      const clock = () => new Date(Date.now() + DAY_MS);
      const service = await startService(parseSettings(environment), { clock, log: pino({ level: "silent" }) });
      const { store } = service.services;
      const data = { limit: "downloads_per_day", used: 80, allowed: 100, resets: null };
      const event = await store.change(async (tables) => {
        await announce(tables, { now: clock() }, { type: "limit.near", organizationId: acme, data });
        return (await tables.events.latest())?.id ?? "";
      });
      await work(store, event).finally(() => service.close());
    }

    /** Returns the requests of a dispatcher that looks for webhooks that are due. */
    async function requestsOf(store: Store): Promise<WebhookRequest[]> {
      let asked = 0;
      const copied = () => {
        asked += 1;
        return store.copies.copied();
      };
      const sent: WebhookRequest[] = [];
      const dispatcher = new Dispatcher({
        store: { ...store, copies: { ...store.copies, copied } },
        register: new Register(store),
        sender: {
          send: async (request) => {
            sent.push(request);
            throw new Error("nothing may be sent");
          },
        },
        clock: () => new Date(),
        onDelivery: () => {},
        onFailure: () => {},
      });
      dispatcher.start();
      await expect.poll(() => asked, { timeout: 10_000 }).toBeGreaterThan(0);
      await dispatcher.stop();
      return sent;
    }

    it("sends no webhooks or e-mail until it is activated, and then what is due", async () => {
      const environment = environmentOf("copied");
      const run = (...argv: string[]) => runCommand(argv, environment);
      const restored = await run("restore", join(folder, "backup"));
      expect(restored.out).toContain('sends no webhooks or e-mail until you run "dbdepot-server activate"');
      expect((await run("doctor")).out).toMatch(
        /note +sending: this is a copy from .*: it sends no webhooks or e-mail/,
      );
      expect((await run("webhooks", "test", webhook.id)).out).toContain(QUIET);
      const invited = await run("accounts", "invite", "bob@acme.example", "--role", "viewer", "--org", "Acme");
      expect([invited.out, invited.err]).toEqual([
        expect.stringContaining("no: pass the link on yourself"),
        expect.stringContaining(QUIET),
      ]);
      expect((await run("mail", "test", "you@vendor.example")).out).toContain(QUIET);

      await serving(environment, async (store, event) => {
        expect(await requestsOf(store)).toEqual([]);
        expect((await run("activate")).out).toMatch(/^Activated\. Webhooks and e-mail are sent from now on/);
        expect(receiver.ids()).toEqual([]);
        expect(mails.mails).toEqual([]);
        expect(await store.mail.list(10)).toEqual([]);
        await expect.poll(() => receiver.ids()).toEqual([event]);
      });
      await using store = await open(environment);
      const sent = (await store.webhooks.deliveries({ webhookId: webhook.id, limit: 10 })).map(
        ({ trigger, outcome, attempt }) => ({ trigger, outcome, attempt }),
      );
      expect(sent).toEqual([
        { trigger: "event", outcome: "delivered", attempt: 1 },
        { trigger: "test", outcome: "failed", attempt: 1 },
      ]);
      expect(await store.audit.list({ action: "copy.activated", limit: 10 })).toMatchObject([{ subject: "copy" }]);
      await serving(environment, async () => {
        await expect.poll(() => mails.mails.length).toBeGreaterThan(0);
      });
      expect(mails.mails[0]).toContain("To: ada@acme.example");
      const again = await run("activate");
      expect([again.exitCode, again.err]).toEqual([1, expect.stringContaining("this is not a copy")]);
      expect((await run("doctor")).out).toMatch(/ok +sending: webhooks and e-mail are sent/);
    });

    it("is made by copy too, and is none with restore --activate", async () => {
      const copied = environmentOf("target");
      const file = join(folder, "target.env");
      await writeFile(
        file,
        Object.entries(copied)
          .map(([name, value]) => `${name}='${value}'\n`)
          .join(""),
      );
      expect((await terminal.run("copy", "--to", file)).out).toContain('until you run "dbdepot-server activate"');
      const recovered = environmentOf("recovered");
      await runCommand(["restore", join(folder, "backup"), "--activate"], recovered);
      const states = await Promise.all(
        [copied, recovered, terminal.environment].map(async (environment) => {
          await using store = await open(environment);
          return (await store.copies.copied()) !== undefined;
        }),
      );
      expect(states).toEqual([true, false, false]);
    });

    async function open(environment: Record<string, string>): Promise<Store & AsyncDisposable> {
      const store = await openStore(parseSettings(environment).database);
      return { ...store, [Symbol.asyncDispose]: () => store.close() };
    }
  });
}
