import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { eitherEngine } from "../../../../rigs/harness/service/engines.ts";
import { terminalOn } from "./terminal.ts";

const CSV = `kind,organization,name,family,redistribution,starts,scopes,create
organization,A-17,Acme,,,,,
licence,A-17,,vpn_ip,internal,2026-01-01,,
key,A-17,ci,,,,db.download,true
`;

for (const engine of eitherEngine()) {
  describe(`customers on ${engine.name}`, () => {
    const terminal = terminalOn(engine);
    let file: string;
    let secrets: string;

    beforeAll(async () => {
      const folder = terminal.environment.DBDEPOT_DATA_DIR ?? "";
      file = join(folder, "customers.csv");
      secrets = join(folder, "secrets.csv");
      await writeFile(file, CSV);
      await terminal.run("families", "add", "vpn_ip", "--name", "VPN");
    });

    it("import writes new secrets to a file that only the operator can read, or changes nothing", async () => {
      const planned = await terminal.run("customers", "import", file, "--dry-run");
      expect(planned).toEqual({
        exitCode: 0,
        err: "",
        out: [
          "+ organization Acme (A-17)",
          "+ licence Acme vpn_ip: redistribution internal, starts 2026-01-01",
          "+ key Acme ci: scopes db.download, new secret",
          "Would create 1 organization, 1 licence, 1 key.",
          "New keys get secrets: name a file for them with --secrets.",
          "",
        ].join("\n"),
      });
      const without = await terminal.run("customers", "import", file);
      expect(without).toMatchObject({
        exitCode: 2,
        err: expect.stringContaining("name a file for them with --secrets"),
      });
      expect(await terminal.json("orgs", "list")).toEqual([]);

      const done = await terminal.run("customers", "import", file, "--secrets", secrets);
      expect(done.out).toBe(
        `Created 1 organization, 1 licence, 1 key.\nThe new secrets are in ${secrets}. Pass them on, then delete the file.\n`,
      );
      expect((await stat(secrets)).mode & 0o777).toBe(0o600);
      expect(await readFile(secrets, "utf8")).toMatch(/^organization,.*,key\nA-17,Acme,ci,(dbd_\w{8}),\1_\w{38}\n$/);
      expect((await terminal.run("customers", "import", file)).out).toBe("Nothing to do: 3 unchanged.\n");

      await writeFile(file, `${CSV}key,A-17,more,,,,,true\n`);
      const taken = await terminal.run("customers", "import", file, "--secrets", secrets);
      expect(taken).toMatchObject({ exitCode: 1, err: expect.stringContaining("already exists: choose another name") });
      expect(await terminal.json("keys", "list", "Acme")).toHaveLength(1);
    });

    it("import lists the lines that are wrong, as JSON too", async () => {
      const bad = `${file}.bad`;
      await writeFile(bad, CSV.replace("vpn_ip", "nope"));
      expect(await terminal.run("customers", "import", bad)).toEqual({
        exitCode: 1,
        out: "",
        err: 'line 3: there is no family "nope"\nNothing was imported.\n',
      });
      const { out } = await terminal.run("customers", "import", bad, "--json");
      expect(JSON.parse(out)).toEqual({ bad_lines: [{ line: 3, reason: 'there is no family "nope"' }] });
    });

    it("export writes a file that import reads, and orgs edit sets the external id that it finds", async () => {
      await terminal.json("orgs", "add", "Globex", "--external-id", "G-1");
      await terminal.json("orgs", "edit", "Globex", "--external-id", "G-2");
      const path = `${file}.json`;
      expect((await terminal.run("customers", "export", path)).out).toBe(
        `Wrote 2 organizations (4 records) to ${path}.\n`,
      );
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      expect(await readFile(path, "utf8")).toContain('"external_id": "G-2"');
      expect((await terminal.run("customers", "import", path)).out).toBe("Nothing to do: 4 unchanged.\n");
      expect((await terminal.run("customers", "export", "--org", "Globex")).out).toContain(
        "\norganization,G-2,,Globex,",
      );
    });

    it("import leaves out people who were erased, and says so", async () => {
      const again = `${file}.again`;
      const person = "kind,organization,name,email,role\norganization,E-1,Erewhon,,\n";
      await writeFile(again, `${person}account,E-1,Eve,Eve@erewhon.example,viewer\n`);
      await terminal.run("customers", "import", again);
      await terminal.run("privacy", "erase", "eve@erewhon.example", "--yes");
      const line = "Line 3: eve@erewhon.example is left out, because this person was erased.\n";
      for (const options of [["--dry-run"], []]) {
        const { out } = await terminal.run("customers", "import", again, ...options);
        expect(out).toContain(`${line}Nothing to do: 1 unchanged.\n`);
      }
      expect(await terminal.json("customers", "import", again)).toMatchObject({
        skipped: [{ line: 3, organization: "Erewhon", email: "eve@erewhon.example" }],
      });
      const emails = (await terminal.json<{ email: string }[]>("accounts", "list")).map(({ email }) => email);
      expect(emails).not.toContain("eve@erewhon.example");
      await terminal.json("accounts", "invite", "eve@erewhon.example", "--role", "viewer", "--org", "Erewhon");
      expect((await terminal.run("customers", "import", again)).out).toContain("Changed 1 account");
    });
  });
}
