import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startMailServer } from "../../../../rigs/harness/servers/mail-server.ts";
import { eitherEngine } from "../../../../rigs/harness/service/engines.ts";
import { announce } from "../../src/domain/events/events.ts";
import { DAY_MS } from "../../src/platform/primitives/dates.ts";
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
      expect(out).toMatch(
        /^Subject: Example Corp: the licence for Proxy IP .* \(and 8 more\)\n\nNews from Tom & Jerry:\n/,
      );
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
      expect(server.mails[0]).toContain("Subject: Test: Example Corp: the licence for Proxy IP");
      server.behaviour.refusal = { at: "recipient", code: 550 };
      const refused = await runCommand(argv, settingsFor(server.url));
      expect([refused.exitCode, refused.out]).toEqual([1, expect.stringContaining("did not accept the e-mail to")]);
      expect((await terminal.run(...argv)).err).toContain("no mail server is set: set DBDEPOT_SMTP_URL");
    });

    it("previews what a person gets on a day to come, and sends what they have not been told yet", async () => {
      await using server = await startMailServer();
      const run = (...argv: string[]) => runCommand(["mail", ...argv], settingsFor(server.url));
      await terminal.json("orgs", "add", "Acme");
      await terminal.json("families", "add", "vpn_ip", "--name", "VPN IP");
      await terminal.json("accounts", "invite", "ada@acme.example", "--role", "admin", "--org", "Acme");
      await terminal.json("accounts", "invite", "bob@acme.example", "--role", "viewer", "--org", "Acme");
      const end = new Date(Math.ceil(Date.now() / DAY_MS) * DAY_MS + 90 * DAY_MS);
      const on = (daysLeft: number) => new Date(end.getTime() - daysLeft * DAY_MS).toISOString().slice(0, 10);
      const terms = ["--redistribution", "internal", "--expires", on(0)];
      await terminal.json("licences", "grant", "Acme", "vpn_ip", ...terms);
      const previews = await Promise.all(
        [on(60), on(59), on(7), on(-1)].map((day) => run("preview", "--for", "ada@acme.example", "--at", day)),
      );
      expect(previews.map(({ out }) => out.split("\n")[0])).toEqual([
        expect.stringMatching(/^Subject: The licence for VPN IP \(vpn_ip\) ends in 60 days, on /),
        "There is nothing to tell ada@acme.example.",
        expect.stringMatching(/^Subject: The licence for VPN IP \(vpn_ip\) ends in 7 days, on /),
        "There is nothing to tell ada@acme.example.",
      ]);
      expect((await run("preview", "--for", "ada@acme.example")).out).toContain("There is nothing to tell");
      expect((await run("preview", "--for", "bob@acme.example")).err).toContain("gets no notifications");

      const send = () => run("send-digest", "--for", "ada@acme.example");
      expect((await send()).out).toBe("There is nothing to tell ada@acme.example, so no e-mail was sent.\n");
      const [{ id }] = await terminal.json<[{ id: string }]>("orgs", "list");
      const { store } = terminal.opened;
      const data = { limit: "downloads_per_day", used: 80, allowed: 100, resets: null };
      const near = { type: "limit.near", organizationId: id, data } as const;
      await store.change((tables) => announce(tables, { now: new Date() }, near));
      expect((await run("preview", "--for", "ada@acme.example")).out).toContain("80 of 100 used");
      expect(server.mails).toEqual([]);
      expect((await send()).out).toMatch(
        /^Sent to ada@acme\.example: The limit on downloads per day is nearly reached/,
      );
      expect(server.mails).toHaveLength(1);
      expect((await send()).out).toContain("There is nothing to tell");
      const [mail] = await store.mail.list(10);
      expect(mail).toMatchObject({ to: "ada@acme.example", state: "sent" });
      await store.mail.removeFinished(new Date(Date.now() + DAY_MS));
    });

    it("lists the outbox without the contents", async () => {
      expect((await terminal.run("mail", "list")).out).toBe("The outbox is empty.\n");
      const created = new Date("2027-03-01T07:00:00Z");
      const content = { subject: "News", text: "private", html: "private", unsubscribeUrl: "private" };
      const about = { kind: "digest", accountId: "2", to: "ada@acme.example", about: null } as const;
      await terminal.opened.store.change((tables) =>
        tables.mail.insert({ id: "1", ...about, content, created }, created),
      );
      expect(await terminal.json("mail", "list")).toEqual([
        {
          id: "1",
          kind: "digest",
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
      expect(out).toMatch(/digest +ada@acme\.example +waiting +0/);
      expect(out).not.toContain("private");
    });
  });
}
