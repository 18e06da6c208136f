import { beforeAll, describe, expect, it } from "vitest";
import { eitherEngine } from "../../../../rigs/harness/service/engines.ts";
import { updateUsage } from "../../src/domain/usage/update.ts";
import { attemptAt } from "../adapters/sql/samples.ts";
import { runCommand, terminalOn } from "./terminal.ts";

for (const engine of eitherEngine()) {
  describe(`dbdepot-server privacy and retention on ${engine.name}`, () => {
    const terminal = terminalOn(engine);
    beforeAll(async () => {
      await terminal.json("orgs", "add", "Acme");
      for (const [email, role] of [
        ["ada@acme.example", "admin"],
        ["bob@acme.example", "viewer"],
        ["eve@acme.example", "viewer"],
      ] as const) {
        await terminal.json("accounts", "invite", email, "--role", role, "--org", "Acme");
      }
    });

    it("exports a person as JSON", async () => {
      const { out } = await terminal.run("privacy", "export", "ada@acme.example");
      expect(JSON.parse(out)).toMatchObject({ email: "ada@acme.example", data: { accounts: [{ role: "admin" }] } });
    });

    it("shows what it would erase, and erases with --yes", async () => {
      const plan = await terminal.run("privacy", "erase", "bob@acme.example");
      expect(plan.out).toMatch(/^bob@acme\.example\n\nTABLE +ROWS ARE +COUNT\n/);
      expect(plan.out).toMatch(/\naudit +anonymized +1\n/);
      expect(plan.out).toContain("Nothing has been changed yet. To erase this person, repeat the command with --yes.");
      const { out } = await terminal.run("privacy", "erase", "bob@acme.example", "--yes");
      expect(out).toMatch(
        /^Erased\. In the audit log, the person is now person-[0-9a-f]{16}\. Rows deleted: 2, anonymized: 1\.\n/,
      );
      const gone = await terminal.run("privacy", "export", "bob@acme.example");
      expect(gone.err).toContain('nothing is stored about "bob@acme.example"');
    });

    it("erases the last admin only if that is said, and all people of an organization together", async () => {
      const refused = await terminal.run("privacy", "erase", "ada@acme.example", "--yes");
      expect(refused.exitCode).toBe(1);
      expect(refused.err).toContain('ada@acme.example is the last admin of "Acme"');
      expect((await terminal.run("privacy", "erase", "ada@acme.example")).out).toContain("--yes --even-last");
      expect((await terminal.run("privacy", "erase")).err).toContain("name a person, or an organization");
      const erased = await terminal.json<{ people: object[] }>("privacy", "erase", "--organization", "Acme", "--yes");
      expect(erased.people).toHaveLength(2);
      expect(await terminal.json("accounts", "list")).toEqual([]);
    });

    it("previews what the retention settings remove", async () => {
      const { attempts, usage } = terminal.opened.store;
      await attempts.append([attemptAt(new Date("2020-01-01T00:00:00Z"))]);
      await updateUsage({ usage, clock: () => new Date(), by: "the test" });
      const environment = { ...terminal.environment, DBDEPOT_HISTORY_RETENTION_DAYS: "365" };
      const { out } = await runCommand(["retention", "preview"], environment);
      expect(out).toMatch(
        /\nhistory +1 +\d+ B +2020-01-01 +DBDEPOT_HISTORY_RETENTION_DAYS +Download attempts are deleted after 365 days\.\n/,
      );
      expect(out).toMatch(/\naudit +- +- +- +DBDEPOT_AUDIT_RETENTION_DAYS +Everything is kept\.\n/);
      expect(await terminal.json("retention", "preview")).toMatchObject({ rules: expect.any(Array) });
    });
  });
}
