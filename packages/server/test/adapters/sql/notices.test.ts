import { describe, expect, it } from "vitest";
import { engines, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import { newRecipient } from "../../../src/domain/notices/recipient.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";
import { day } from "../../domain/licences/terms.ts";
import { account, event, organization } from "./samples.ts";

for (const engine of engines) {
  describe(`The store of notices on ${engine.name}`, () => {
    const opened = sharedStore(engine);

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
