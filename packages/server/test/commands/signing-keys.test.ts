import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eitherEngine } from "../../../../rigs/harness/service/engines.ts";
import { runCommand, terminalOn } from "./terminal.ts";

for (const engine of eitherEngine()) {
  describe(`dbdepot-server signing-keys on ${engine.name}`, () => {
    const terminal = terminalOn(engine);
    const doctor = async () => {
      const { out } = await terminal.run("doctor", "--json");
      const { findings } = JSON.parse(out) as { findings: { check: string; detail: string }[] };
      return findings.find(({ check }) => check === "signing key")?.detail;
    };

    it("says that builds are not signed while there is no key", async () => {
      expect((await terminal.run("signing-keys", "list")).out).toBe("No signing keys: builds are not signed.\n");
      expect(await doctor()).toBe("none: builds are not signed");
      const { exitCode, err } = await terminal.run("signing-keys", "rotate");
      expect(exitCode).toBe(1);
      expect(err).toContain('create one with "dbdepot-server signing-keys create"');
    });

    it("creates a key and shows only its public half", async () => {
      const { exitCode, out } = await terminal.run("signing-keys", "create");
      expect(exitCode).toBe(0);
      expect(out).toMatch(/public key +RW[\w+/]{54}\n/);
      expect(out).toContain("Signed 0 current builds. Copy the private key in this directory to a safe place");
      expect(out).not.toContain("PRIVATE");
      expect(await doctor()).toMatch(/^[0-9A-F]{16} can be read$/);
      const again = await terminal.run("signing-keys", "create");
      expect(again).toMatchObject({ exitCode: 1, err: expect.stringContaining("--replace") });
    });

    it("rotates it, and lists both", async () => {
      await terminal.json("signing-keys", "rotate", "--overlap-days", "7");
      const keys = await terminal.json<{ state: string; created: string; expires: string }[]>("signing-keys", "list");
      expect(keys.map(({ state }) => state)).toEqual(["overlap", "active"]);
      const [old, current] = keys;
      expect(Date.parse(old?.expires ?? "") - Date.parse(current?.created ?? "")).toBe(7 * 86_400_000);
      const { out } = await runCommand(["signing-keys", "list"], terminal.environment, 80);
      expect(out.match(/^public key +RW[\w+/]{54}$/gm)).toHaveLength(2);
      expect((await terminal.run("signing-keys", "rotate", "--overlap-days", "-1")).exitCode).toBe(2);
    });

    it("creates, rotates and replaces the freshness key, which doctor checks", async () => {
      const fresh = () => terminal.json<{ state: string }[]>("signing-keys", "list", "--freshness");
      const checked = async () => {
        const { out } = await terminal.run("doctor", "--json");
        const { findings } = JSON.parse(out) as { findings: { check: string; detail: string }[] };
        return findings.find(({ check }) => check === "freshness")?.detail;
      };
      expect(await checked()).toBe("no freshness key: no statements of freshness are issued");
      const { exitCode, out } = await terminal.run("signing-keys", "create", "--freshness");
      expect([exitCode, out]).toEqual([
        0,
        expect.stringMatching(/public key +RW[\w+/]{54}\n[\s\S]*Issued 0 statements/),
      ]);
      expect(await checked()).toMatch(
        /^[0-9A-F]{16} can be read, all statements are current, and its endorsement ends on/,
      );
      expect((await terminal.run("signing-keys", "create", "--freshness")).err).toContain("--replace");
      await terminal.json("signing-keys", "rotate", "--freshness", "--valid-days", "20");
      expect(await checked()).toMatch(
        /its endorsement ends on .*: run "dbdepot-server signing-keys rotate --freshness"/,
      );
      await terminal.json("signing-keys", "create", "--freshness", "--replace");
      expect((await fresh()).map(({ state }) => state)).toEqual(["replaced", "revoked", "active"]);
    });

    it("tells the operator if the key is missing on this machine", async () => {
      await rm(join(terminal.environment.DBDEPOT_DATA_DIR ?? "", "signing-keys"), { recursive: true });
      expect(await doctor()).toMatch(/does not contain it.*fine if you publish/);
      expect((await terminal.run("signing-keys", "rotate")).err).toContain("cannot be read");
      const keys = await terminal.json<{ state: string }[]>("signing-keys", "list");
      expect(keys.map(({ state }) => state)).toEqual(["overlap", "active"]);
      await terminal.json("signing-keys", "create", "--replace");
      expect((await terminal.run("signing-keys", "list")).out).toMatch(/expired/);
    });
  });
}
