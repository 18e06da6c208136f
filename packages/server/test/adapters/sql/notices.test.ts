import { describe, expect, it } from "vitest";
import { engines, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import type { OutgoingMail } from "../../../src/domain/notices/outgoing-mail.ts";
import { newRecipient } from "../../../src/domain/notices/recipient.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";
import { day } from "../../domain/licences/terms.ts";
import { account, event, organization } from "./samples.ts";

for (const engine of engines) {
  describe(`The store of notices on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    function mail(but: Partial<OutgoingMail> = {}): OutgoingMail {
      const content = { subject: "News", text: "plain “text”", html: "<p>markup</p>" };
      const unsubscribeUrl = "https://depot.example/unsubscribe";
      const id = newId(day(1));
      return { id, accountId: id, to: "ada@example.com", ...content, unsubscribeUrl, created: day(1), ...but };
    }

    async function insert(but: Partial<OutgoingMail> = {}): Promise<OutgoingMail> {
      const written = mail(but);
      await opened.store.change((tables) => tables.notices.insertMail(written));
      return written;
    }

    const entry = async ({ id }: { id: string }) => (await opened.store.notices.mails(100)).find((e) => e.id === id);

    it("keeps what people have chosen and how far they have been told", async () => {
      const { notices } = opened.store;
      const first = newRecipient("somebody");
      await notices.saveRecipient(first);
      expect(await notices.recipient("somebody")).toEqual(first);
      const position = { revision: 3_000_000_000, id: newId(day(1)) };
      const second = { ...first, off: ["keys", "limits"] as const, digested: day(2), position };
      await notices.saveRecipient(second);
      expect(await notices.recipientByToken(first.token)).toEqual(second);
      expect(await notices.recipient("nobody")).toBeUndefined();
      expect(await notices.recipientByToken("nothing")).toBeUndefined();
    });

    it("finds the people whose digest is due, and only those who can do something about it", async () => {
      const { store } = opened;
      const [acme, gone] = [organization(), organization({ archived: day(1) })];
      const admin = account({ role: "admin", organizationId: acme.id });
      const operator = account();
      const others = [
        account({ role: "viewer", organizationId: acme.id }),
        account({ role: "operator_viewer" }),
        account({ disabled: day(1) }),
        account({ role: "admin", organizationId: gone.id }),
        account({ created: day(3) }),
      ];
      await store.change(async (tables) => {
        for (const each of [acme, gone]) await tables.organizations.insert(each);
        for (const each of [admin, operator, ...others]) await tables.accounts.insert(each);
      });
      const due = async (before: Date) => (await store.notices.due(before, 100)).map((each) => each.account.id);
      expect((await due(day(3))).sort()).toEqual([admin.id, operator.id].sort());
      expect(await store.notices.due(day(3), 1)).toHaveLength(1);
      const recipient = { ...newRecipient(admin.id), digested: day(3) };
      await store.notices.saveRecipient(recipient);
      expect(await due(day(3))).toEqual([operator.id]);
      const [found] = (await store.notices.due(day(4), 100)).filter((each) => each.account.id === admin.id);
      expect(found).toMatchObject({ recipient, account: { email: admin.email, organization: { name: acme.name } } });
    });

    it("lets exactly one of several processes send an e-mail", async () => {
      const { notices } = opened.store;
      const written = await insert();
      expect(await notices.mailsDue(day(0), 10)).toEqual([]);
      expect(await notices.mailsDue(day(1), 10)).toEqual([written.id]);
      const begun = await Promise.all(Array.from({ length: 10 }, () => notices.begin(written.id, day(1))));
      expect(begun.filter((each) => each !== undefined)).toEqual([
        { ...written, state: "sending", attempts: 1, nextAttempt: day(1), begun: day(1), error: null },
      ]);
      expect(await notices.mailsDue(day(9), 10)).toEqual([]);
      await notices.settle(written.id, { state: "waiting", nextAttempt: day(2), error: "busy" });
      expect(await notices.begin(written.id, day(1))).toBeUndefined();
      expect(await notices.begin(written.id, day(2))).toMatchObject({ attempts: 2, error: "busy" });
      await notices.settle(written.id, { state: "sent", nextAttempt: null, error: null });
      expect(await notices.begin(written.id, day(9))).toBeUndefined();
    });

    it("never sends an e-mail again whose attempt was interrupted", async () => {
      const { notices } = opened.store;
      const written = await insert();
      await notices.begin(written.id, day(1));
      expect(await notices.abandon(day(1))).toEqual([]);
      expect(await notices.abandon(day(2))).toEqual([written.id]);
      expect(await entry(written)).toMatchObject({ state: "unknown", nextAttempt: null });
      expect(await notices.mailsDue(day(9), 10)).toEqual([]);
      expect((await notices.counts()).unknown).toBe(1);
    });

    it("removes finished e-mails, and those of people who lose access or are deleted", async () => {
      const { store } = opened;
      const person = account();
      const sent = await insert();
      const [waiting, tried] = [await insert({ accountId: person.id }), await insert({ accountId: person.id })];
      for (const { id } of [sent, tried]) await store.notices.begin(id, day(1));
      for (const { id } of [sent, tried]) {
        await store.notices.settle(id, { state: "sent", nextAttempt: null, error: null });
      }
      await store.notices.removeWaiting(person.id);
      expect([await entry(waiting), (await entry(tried))?.state]).toEqual([undefined, "sent"]);
      await store.notices.saveRecipient(newRecipient(person.id));
      await store.change(async (tables) => {
        await tables.accounts.insert(person);
        await tables.accounts.remove(person.id);
      });
      expect([await entry(tried), await store.notices.recipient(person.id)]).toEqual([undefined, undefined]);
      await store.notices.removeFinished(day(1));
      expect(await entry(sent)).toBeDefined();
      await store.notices.removeFinished(day(2));
      expect(await entry(sent)).toBeUndefined();
    });

    it("finds the events of some types since a time", async () => {
      const { store } = opened;
      const events = [
        event({ type: "key.expiring", created: day(4) }),
        event({ type: "key.expiring", created: day(5) }),
        event({ type: "key.created", created: day(5) }),
      ];
      await store.change(async (tables) => {
        for (const each of events) await tables.events.insert(each);
      });
      const found = await store.events.since(day(5), ["key.expiring", "a later type"]);
      expect(found.map(({ id }) => id)).toEqual([events[1]?.id]);
    });
  });
}
