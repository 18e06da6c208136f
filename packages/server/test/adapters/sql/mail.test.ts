import { describe, expect, it } from "vitest";
import { engines, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import type { OutgoingMail } from "../../../src/domain/mail/outgoing-mail.ts";
import { newRecipient } from "../../../src/domain/notices/recipient.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";
import { day } from "../../domain/licences/terms.ts";
import { account } from "./samples.ts";

const BY = "a process";
const claim = (number: number) => ({ by: BY, until: new Date(day(number).getTime() + 60_000) });

for (const engine of engines) {
  describe(`The outbox on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    function mail(but: Partial<OutgoingMail> = {}): OutgoingMail {
      const unsubscribeUrl = "https://depot.example/unsubscribe";
      const content = { subject: "News", text: "plain “text”", html: "<p>markup</p>", unsubscribeUrl };
      const id = newId(day(1));
      const facts = { kind: "digest", accountId: id, to: "ada@example.com", about: null } as const;
      return { id, ...facts, content, created: day(1), ...but };
    }

    async function insert(but: Partial<OutgoingMail> = {}): Promise<OutgoingMail> {
      const written = mail(but);
      await opened.store.change((tables) => tables.mail.insert(written, day(1)));
      return written;
    }

    const entry = async ({ id }: { id: string }) => (await opened.store.mail.list(100)).find((e) => e.id === id);

    it("lets exactly one of several processes send an e-mail", async () => {
      const { mail: outbox } = opened.store;
      const written = await insert();
      expect(await outbox.due(day(0), 10)).toEqual([]);
      expect(await outbox.due(day(1), 10)).toEqual([written.id]);
      const begun = await Promise.all(Array.from({ length: 10 }, () => outbox.begin(written.id, claim(1), day(1))));
      expect(begun.filter((each) => each !== undefined)).toEqual([
        { ...written, state: "sending", attempts: 1, nextAttempt: day(1), begun: day(1), error: null },
      ]);
      expect(await outbox.due(day(9), 10)).toEqual([]);
      await outbox.settle(written.id, BY, { state: "waiting", nextAttempt: day(2), error: "busy" });
      expect(await outbox.begin(written.id, claim(1), day(1))).toBeUndefined();
      expect(await outbox.begin(written.id, claim(2), day(2))).toMatchObject({ attempts: 2, error: "busy" });
      await outbox.settle(written.id, BY, { state: "sent", nextAttempt: null, error: null });
      expect(await outbox.begin(written.id, claim(9), day(9))).toBeUndefined();
    });

    it("never sends an e-mail again whose attempt was interrupted", async () => {
      const { mail: outbox } = opened.store;
      const written = await insert();
      await outbox.begin(written.id, claim(1), day(1));
      expect(await outbox.abandon(day(1))).toEqual([]);
      expect(await outbox.abandon(day(2))).toEqual([written.id]);
      expect(await entry(written)).toMatchObject({ state: "unknown", nextAttempt: null });
      expect(await outbox.due(day(9), 10)).toEqual([]);
      expect((await outbox.counts()).unknown).toBe(1);
    });

    it("removes finished e-mails, and those of people who lose access or are deleted", async () => {
      const { store } = opened;
      const person = account();
      const sent = await insert();
      const [waiting, tried] = [await insert({ accountId: person.id }), await insert({ accountId: person.id })];
      for (const { id } of [sent, tried]) await store.mail.begin(id, claim(1), day(1));
      for (const { id } of [sent, tried]) {
        await store.mail.settle(id, BY, { state: "sent", nextAttempt: null, error: null });
      }
      await store.mail.removeWaiting(person.id);
      expect([await entry(waiting), (await entry(tried))?.state]).toEqual([undefined, "sent"]);
      await store.notices.saveRecipient(newRecipient(person.id));
      await store.change(async (tables) => {
        await tables.accounts.insert(person);
        await tables.accounts.remove(person.id);
      });
      expect([await entry(tried), await store.notices.recipient(person.id)]).toEqual([undefined, undefined]);
      await store.mail.removeFinished(day(1));
      expect(await entry(sent)).toBeDefined();
      await store.mail.removeFinished(day(2));
      expect(await entry(sent)).toBeUndefined();
    });

    it("keeps e-mails without content from servers that could not make it", async () => {
      const { mail: outbox } = opened.store;
      const written = await insert({ kind: "invitation", about: "somebody", content: null });
      const stored = () => opened.query(`select state, subject, text from outbox where id = '${written.id}'`);
      expect(await stored()).toEqual([{ state: "unwritten", subject: "", text: "" }]);
      expect(await outbox.due(day(1), 100)).toContain(written.id);
      expect(await outbox.latestAbout("somebody")).toBe(written.id);
      expect(await outbox.begin(written.id, claim(0), day(0))).toBeUndefined();
      expect(await outbox.begin(written.id, claim(0), day(0), day(1))).toMatchObject({ ...written, state: "sending" });
      await outbox.settle(written.id, BY, { state: "waiting", nextAttempt: day(2), error: "busy" });
      expect(await stored()).toMatchObject([{ state: "unwritten" }]);
      expect(await entry(written)).toMatchObject({ state: "waiting", content: null });
      expect((await outbox.counts()).waiting).toBeGreaterThan(0);
      await outbox.removeWaiting(written.accountId ?? "", ["reset"]);
      expect(await entry(written)).toBeDefined();
      await outbox.removeWaiting(written.accountId ?? "", ["invitation"]);
      expect(await entry(written)).toBeUndefined();
    });
  });
}
