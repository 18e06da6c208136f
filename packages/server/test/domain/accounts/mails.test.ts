import { describe, expect, it } from "vitest";
import { eitherEngine } from "../../../../../rigs/harness/service/engines.ts";
import { inviteAccount, updateAccount } from "../../../src/domain/accounts/accounts.ts";
import { findLink } from "../../../src/domain/accounts/links.ts";
import { linkWriter } from "../../../src/domain/accounts/mails.ts";
import type { OutgoingMail } from "../../../src/domain/mail/outgoing-mail.ts";
import { operatorOn } from "../organizations/operator.ts";

for (const engine of eitherEngine()) {
  describe(`e-mails with links on ${engine.name}`, () => {
    const { opened, operation } = operatorOn(engine);

    it("get a new link for every attempt, which ends that of the attempt before and no other", async () => {
      const email = "ops@vendor.example";
      const invited = await inviteAccount(operation(), undefined, { email, role: "operator" });
      const { id: accountId } = invited.account;
      const { now } = operation();
      const write = linkWriter("invitation", () => "https://depot.example", "Depot");
      const mail: OutgoingMail = {
        ...{ id: "mail", kind: "invitation", accountId, to: email, about: accountId, content: null, created: now },
      };
      const attempt = async () => /#token=(\S+)/.exec((await write(mail, opened.store, now))?.text ?? "")?.[1] ?? "";
      const [first, second] = [await attempt(), await attempt()];
      const isUsable = async (token: string) => (await findLink(opened.store, token, now)) !== undefined;
      expect([await isUsable(first), await isUsable(second)]).toEqual([false, true]);
      expect(await isUsable(invited.token.reveal())).toBe(true);
      await updateAccount(operation(), undefined, email, { isDisabled: true });
      expect(await write(mail, opened.store, now)).toBeUndefined();
    });
  });
}
