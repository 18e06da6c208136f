import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startMailServer } from "../../../../rigs/harness/servers/mail-server.ts";
import { eitherEngine } from "../../../../rigs/harness/service/engines.ts";
import { runCommand, terminalOn } from "./terminal.ts";

const BRAND = { DBDEPOT_BRAND_NAME: "Tom & Jerry", DBDEPOT_BRAND_COLOR: "#0f766e" };

for (const engine of eitherEngine()) {
  describe(`dbdepot-server mail on ${engine.name}`, () => {
    const terminal = terminalOn(engine);
    const settingsFor = (smtpUrl: string) => ({
      ...terminal.environment,
      ...BRAND,
      DBDEPOT_SMTP_URL: smtpUrl,
      DBDEPOT_MAIL_FROM: "depot@vendor.example",
    });

    it("previews a notification with the vendor's name and colour, as text and HTML", async () => {
      const environment = { ...terminal.environment, ...BRAND };
      const { out } = await runCommand(["mail", "preview"], environment);
      expect(out).toMatch(/^Subject: 9 notifications from Tom & Jerry\n\nNews from Tom & Jerry:\n/);
      for (const title of [
        "LICENCES",
        "TERMS",
        "API KEYS",
        "WITHDRAWN BUILDS",
        "WEBHOOKS",
        "ACCESS REQUESTS",
        "LIMITS",
      ]) {
        expect(out).toContain(`\n${title}\n`);
      }
      const file = join(terminal.environment.DBDEPOT_DATA_DIR ?? "", "preview.html");
      const written = await runCommand(["mail", "preview", "webhooks", "--html", file], environment);
      expect(written).toEqual({ exitCode: 0, out: `Wrote ${file}.\n`, err: "" });
      const html = await readFile(file, "utf8");
      expect(html).toContain("Tom &amp; Jerry</p>");
      expect(html).toContain("color:#0f");
      expect(html).toContain("The webhook “warehouse” at hooks.example.com");
      expect(html).not.toContain("licence");
    });

    it("sends an example and says what the mail server answered", async () => {
      await using server = await startMailServer();
      const argv = ["mail", "test", "You@vendor.example"];
      const sent = await runCommand(argv, settingsFor(server.url));
      expect(sent).toMatchObject({
        exitCode: 0,
        out: "The mail server accepted the e-mail to you@vendor.example.\n",
      });
      expect(server.mails[0]).toContain("Subject: Test: 9 notifications from Tom & Jerry");
      server.behaviour.refusal = { at: "recipient", code: 550 };
      const refused = await runCommand(argv, settingsFor(server.url));
      expect([refused.exitCode, refused.out]).toEqual([1, expect.stringContaining("did not accept the e-mail to")]);
      expect((await terminal.run(...argv)).err).toContain("no mail server is set: set DBDEPOT_SMTP_URL");
    });

    it("lists the outbox without the contents", async () => {
      expect((await terminal.run("mail", "list")).out).toBe("The outbox is empty.\n");
      const created = new Date("2027-03-01T07:00:00Z");
      const content = { subject: "News", text: "private", html: "private", unsubscribeUrl: "private" };
      const mail = { id: "1", accountId: "2", to: "ada@acme.example", ...content, created };
      await terminal.opened.store.change((tables) => tables.notices.insertMail(mail));
      expect(await terminal.json("mail", "list")).toEqual([
        {
          id: "1",
          to: "ada@acme.example",
          subject: "News",
          state: "waiting",
          attempts: 0,
          created: created.toISOString(),
          next_attempt: created.toISOString(),
          error: null,
        },
      ]);
      const { out } = await terminal.run("mail", "list");
      expect(out).toMatch(/ada@acme\.example +waiting +0/);
      expect(out).not.toContain("private");
    });
  });
}
