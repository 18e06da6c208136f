import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startMailServer } from "../../../../../rigs/harness/servers/mail-server.ts";
import { call } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { newRecipient } from "../../../src/domain/notices/recipient.ts";
import { type Person, personOf } from "./person.ts";

const NOTICES = "/api/console/notices";
const ADMIN_TOPICS = ["licences", "terms", "keys", "builds", "webhooks", "limits"];

for (const stage of eitherStage()) {
  describe(`Notifications on ${stage.name}`, () => {
    let test: TestService;
    let mails: Awaited<ReturnType<typeof startMailServer>>;
    let ada: Person & { id: string };
    beforeAll(async () => {
      mails = await startMailServer();
      test = await testService(stage, { DBDEPOT_SMTP_URL: mails.url, DBDEPOT_MAIL_FROM: "depot@vendor.example" });
      await test.operator.customer("Acme");
      ada = await personOf(test, "ada@acme.example", "admin", "Acme");
    });
    afterAll(async () => {
      await test?.dispose();
      await mails?.[Symbol.asyncDispose]();
    });

    async function topicsOn(person: Person = ada): Promise<string[]> {
      const { topics } = (await person.get(NOTICES)).json as { topics: { topic: string; enabled: boolean }[] };
      return topics.filter(({ enabled }) => enabled).map(({ topic }) => topic);
    }

    /** The link of a new admin. */
    async function linkOf(email: string): Promise<{ person: Person; token: string; url: string }> {
      const person = await personOf(test, email, "admin", "Acme");
      const recipient = newRecipient(person.id);
      await test.service.services.store.notices.saveRecipient(recipient);
      const url = `${test.service.apiUrl}/unsubscribe?token=${recipient.token}`;
      return { person, token: recipient.token, url };
    }

    const choose = (topic: string, enabled: boolean, person: Person = ada) =>
      person.send("PATCH", NOTICES, { body: { topic, enabled } });

    it("are chosen by each person, among the topics of their role", async () => {
      expect((await ada.get(NOTICES)).json.mail).toBe(true);
      expect(await topicsOn()).toEqual(ADMIN_TOPICS);
      expect((await choose("keys", false)).json.topics).toContainEqual({ topic: "keys", enabled: false });
      expect(await topicsOn()).toEqual(ADMIN_TOPICS.filter((topic) => topic !== "keys"));
      await choose("keys", false);
      await choose("keys", true);
      expect(await topicsOn()).toEqual(ADMIN_TOPICS);
      const entries = await test.service.services.store.audit.list({ limit: 100 });
      expect(entries.filter(({ action }) => action === "account.notices_changed")).toMatchObject([
        { actor: "account:ada@acme.example", subject: ada.id, before: { off: ["keys"] }, after: { off: [] } },
        { before: { off: [] }, after: { off: ["keys"] } },
      ]);
      for (const topic of ["requests", "weather"]) {
        const refused = await choose(topic, false);
        expect([refused.status, refused.json.rc]).toEqual([400, "INVALID_REQUEST"]);
      }
      const root = await personOf(test, "root@vendor.example", "operator");
      expect(await topicsOn(root)).toEqual(["licences", "requests", "limits"]);
      expect(await topicsOn(await personOf(test, "viewer@acme.example", "viewer", "Acme"))).toEqual([]);
    });

    it("stop with a link that needs no session, but only once a button is pressed", async () => {
      const { person, token, url } = await linkOf("bob@acme.example");
      const page = await call(url);
      expect(page.status).toBe(200);
      expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(page.headers.get("content-security-policy")).toContain("form-action 'self'");
      expect(page.text).toContain(`<form method="post" action="/unsubscribe?token=${token}">`);
      expect(page.text).not.toMatch(/bob|acme/i);
      expect(await topicsOn(person)).toEqual(ADMIN_TOPICS);

      const [, action = ""] = /formaction="([^"]*topic=keys)"/.exec(page.text) ?? [];
      const one = await call(test.service.apiUrl + action.replaceAll("&amp;", "&"), { method: "POST" });
      expect(one.text).toContain("You are no longer notified of: API keys.");
      expect(await topicsOn(person)).toEqual(ADMIN_TOPICS.filter((topic) => topic !== "keys"));
    });

    it.each([
      ["application/x-www-form-urlencoded", "List-Unsubscribe=One-Click"],
      [
        "multipart/form-data; boundary=b",
        '--b\r\ncontent-disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--',
      ],
    ])("stop with one click in the mail program, which sends %s", async (type, body) => {
      const { person, url } = await linkOf(`${type.slice(0, 4)}@acme.example`);
      const done = await call(url, { method: "POST", headers: { "content-type": type }, body });
      expect([done.status, await topicsOn(person)]).toEqual([200, []]);
      expect(done.text).toContain("You are unsubscribed.");
      expect((await call(url, { method: "POST" })).status).toBe(200);
    });

    it("do not stop with a link that is not valid, and such links cannot be guessed", async () => {
      const { token } = await linkOf("eve@acme.example");
      const wrong = `${test.service.apiUrl}/unsubscribe?token=${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`;
      for (const url of [wrong, `${test.service.apiUrl}/unsubscribe`, `${wrong}&token=x`]) {
        for (const method of ["GET", "POST"]) {
          const { status, text } = await call(url, { method });
          expect(status).toBe(404);
          expect(text).toContain("This link is not valid");
        }
      }
      const statuses = new Set<number>();
      for (let n = 0; n < 50; n += 1) statuses.add((await call(wrong, { method: "POST" })).status);
      expect(statuses).toEqual(new Set([404, 429]));
    });

    it("are counted on the overview, and sent by the service", async () => {
      const root = await personOf(test, "ops@vendor.example", "operator");
      const mail = async () => (await root.get("/api/console/overview")).json.mail;
      expect(await mail()).toEqual({ enabled: true, waiting: 0, failed: 0, unknown: 0 });
      const { store } = test.service.services;
      const now = test.clock.now();
      const content = { subject: "News", text: "text", html: "<p>html</p>", unsubscribeUrl: "https://x.example" };
      const whom = { kind: "digest", accountId: ada.id, to: ada.email, about: null } as const;
      const entry = { id: "a", ...whom, content, created: now };
      const later = { ...entry, id: "b", created: new Date(now.getTime() + 60_000) };
      await store.change(async ({ mail }) => {
        for (const each of [entry, later]) await mail.insert(each, each.created);
      });
      await expect.poll(() => mails.mails.length).toBe(1);
      await expect.poll(mail).toEqual({ enabled: true, waiting: 1, failed: 0, unknown: 0 });
    });
  });
}
