import { beforeAll, describe, expect, it } from "vitest";
import { startMailServer } from "../../../../rigs/harness/servers/mail-server.ts";
import { eitherEngine } from "../../../../rigs/harness/service/engines.ts";
import { runCommand, terminalOn } from "./terminal.ts";

interface Invited {
  account: { id: string; email: string; role: string; state: string };
  purpose: string;
  link: string;
  mailed: boolean;
}

for (const engine of eitherEngine()) {
  describe(`dbdepot-server accounts on ${engine.name}`, () => {
    const terminal = terminalOn(engine);
    beforeAll(() => terminal.json("orgs", "add", "Acme"));
    const invite = (email: string, ...options: string[]) =>
      terminal.json<Invited>("accounts", "invite", email, "--role", ...options);

    it("invites people and prints the link", async () => {
      const invited = await invite("ada@acme.example", "admin", "--org", "Acme", "--name", "Ada");
      expect(invited).toMatchObject({
        account: { email: "ada@acme.example", role: "admin", organization: { name: "Acme" }, state: "invited" },
        purpose: "invitation",
        mailed: false,
      });
      expect(invited.link).toMatch(/^http:\/\/127\.0\.0\.1:0\/console\/accept#token=[\w-]{43}$/);
      const { out } = await terminal.run("accounts", "invite", "ops@vendor.example", "--role", "operator");
      expect(out).toMatch(/sent by e-mail +no: pass the link on yourself/);
      expect(out).toMatch(/link +http:\S+#token=/);
    });

    it("lists them, all or those of one organization", async () => {
      const { out } = await terminal.run("accounts", "list");
      expect(out).toMatch(/ada@acme.example +Ada +admin +Acme +invited/);
      expect(out).toMatch(/ops@vendor.example .* operator +- +invited/);
      const own = await terminal.json<{ email: string }[]>("accounts", "list", "Acme");
      expect(own.map(({ email }) => email)).toEqual(["ada@acme.example"]);
    });

    it("disables and enables them, and issues new links", async () => {
      const state = async (verb: string) =>
        (await terminal.json<{ state: string }>("accounts", verb, "Ada@Acme.example")).state;
      expect(await state("disable")).toBe("disabled");
      const refused = await terminal.run("accounts", "reset", "ada@acme.example");
      expect(refused).toEqual({
        exitCode: 1,
        out: "",
        err: "dbdepot-server accounts reset: the account ada@acme.example is disabled: enable it first\n",
      });
      expect(await state("enable")).toBe("invited");
      expect((await terminal.json<Invited>("accounts", "reset", "ada@acme.example")).purpose).toBe("invitation");
    });

    it("moves and deletes them", async () => {
      await terminal.json("orgs", "add", "Globex");
      await invite("bob@acme.example", "viewer", "--org", "Acme");
      const moved = await terminal.json("accounts", "move", "Bob@acme.example", "--org", "Globex");
      expect(moved).toMatchObject({ email: "bob@acme.example", role: "viewer", organization: { name: "Globex" } });
      const { out } = await terminal.run("accounts", "delete", "bob@acme.example");
      expect(out).toBe("Deleted the account of bob@acme.example.\n");
      expect(await terminal.json("accounts", "list", "Globex")).toEqual([]);
    });

    it("explains what is wrong", async () => {
      expect((await terminal.run("accounts", "invite", "x@y", "--role", "king")).err).toContain(
        "Choose from operator, operator_viewer, admin, viewer.",
      );
      const unknown = await terminal.run("accounts", "disable", "nobody@acme.example");
      expect(unknown.err).toBe('dbdepot-server accounts disable: there is no account "nobody@acme.example"\n');
    });

    it("sends links by e-mail if a mail server is set", async () => {
      await using server = await startMailServer();
      const environment = {
        ...terminal.environment,
        DBDEPOT_SMTP_URL: server.url,
        DBDEPOT_MAIL_FROM: "dbdepot <noreply@vendor.example>",
      };
      const argv = ["accounts", "invite", "eve@acme.example", "--role", "viewer", "--org", "Acme", "--json"];
      const { out, err } = await runCommand(argv, environment);
      expect(err).toBe("");
      const { link, mailed } = JSON.parse(out) as Invited;
      expect(mailed).toBe(true);
      expect(server.mails).toHaveLength(1);
      const [mail = ""] = server.mails;
      expect(mail).toContain("From: dbdepot <noreply@vendor.example>");
      expect(mail).toContain("To: eve@acme.example");
      expect(mail).toContain("Subject: Your invitation to dbdepot for Acme");
      expect(mail).toContain(link.replace(/#token=.*/, "#token="));
      expect(mail).not.toContain(link);
    });

    it("still prints the link if the mail server is down", async () => {
      const environment = {
        ...terminal.environment,
        DBDEPOT_SMTP_URL: "smtp://127.0.0.1:1",
        DBDEPOT_MAIL_FROM: "noreply@vendor.example",
      };
      const argv = ["accounts", "invite", "fay@acme.example", "--role", "viewer", "--org", "Acme", "--json"];
      const { exitCode, out, err } = await runCommand(argv, environment);
      const { link, mailed, mail } = JSON.parse(out) as Invited & { mail: { state: string } };
      expect([exitCode, mailed, mail.state]).toEqual([0, false, "waiting"]);
      expect(link).toContain("#token=");
      expect(err).toMatch(/warning: the e-mail could not be sent: .*ECONNREFUSED/);
    });
  });
}
