import { beforeAll, describe, expect, it } from "vitest";
import { eitherEngine } from "../../../../rigs/harness/service/engines.ts";
import { runCommand, terminalOn } from "./terminal.ts";

for (const engine of eitherEngine()) {
  describe(`dbdepot-server keys on ${engine.name}`, () => {
    const terminal = terminalOn(engine);
    beforeAll(() => terminal.json("orgs", "add", "Acme"));

    it("lists the state, the expiry and the overlap of each key", async () => {
      const create = async (name: string, ...options: string[]): Promise<{ key_prefix: string }> =>
        JSON.parse((await terminal.run("keys", "create", "--org", "Acme", "--name", name, "--json", ...options)).out);
      await create("idle");
      await create("short", "--scopes", "db.download", "--expires", "2999-01-01");
      const { key_prefix: old } = await create("rotated", "--scopes", "db.download");
      await terminal.json("keys", "rotate", old, "--overlap", "1h");
      const { key_prefix: gone } = await create("gone");
      await terminal.json("keys", "revoke", gone);
      const { out } = await terminal.run("keys", "list");
      const cellsOf = (name: string) =>
        (out.split("\n").find((line) => line.includes(` ${name} `)) ?? "").split(/ {2,}/).slice(3, -1);
      expect(cellsOf("idle")).toEqual(["no scopes", "never", "-", "-", "never", "-"]);
      expect(cellsOf("short")).toEqual(["active", "2999-01-01", "db.download", "-", "never", "-"]);
      const time = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ$/);
      expect(cellsOf("rotated")).toEqual(["active", "never", "db.download", "-", "never", time]);
      expect(cellsOf("gone")).toEqual(["revoked", "never", "-", "-", "never", "-"]);
      for (const { key_prefix: prefix } of await terminal.json<{ key_prefix: string }[]>("keys", "list")) {
        await terminal.run("keys", "revoke", prefix);
      }
    });

    it("warns about a customer's scope on a key without an organization", async () => {
      const create = (...options: string[]) => terminal.run("keys", "create", "--name", "x", ...options);
      const { exitCode, err } = await create("--scopes", "db.download,operator.read");
      expect({ exitCode, err }).toEqual({
        exitCode: 0,
        err: "dbdepot-server: warning: db.download needs an organization: without --org, every request of this key gets 401\n",
      });
      expect((await create("--scopes", "operator.read")).err).toBe("");
    });

    it("warns about a key without scopes, and lists those that it can have", async () => {
      const { err: ofOperator } = await terminal.run("keys", "create", "--name", "x");
      expect(ofOperator).toBe(
        "dbdepot-server: warning: without --scopes, the key has no access. Scopes: builds.publish, operator.read, operator.write\n",
      );
      const { err } = await terminal.run("keys", "create", "--name", "x", "--org", "Acme", "--json");
      expect(err).toContain("db.download");
      expect(err).not.toContain("operator.read");
      const [key] = await terminal.json<{ key_prefix: string }[]>("keys", "list", "Acme");
      await terminal.json("keys", "revoke", key?.key_prefix ?? "");
    });

    it("refuses to create more live keys than an organization can have", async () => {
      const environment = { ...terminal.environment, DBDEPOT_MAX_KEYS_PER_ORGANIZATION: "1" };
      const create = () => runCommand(["keys", "create", "--name", "ci", "--org", "Acme"], environment);
      expect((await create()).exitCode).toBe(0);
      expect(await create()).toEqual({
        exitCode: 1,
        out: "",
        err: "dbdepot-server keys create: the organization already has 1 live keys: revoke one, or raise DBDEPOT_MAX_KEYS_PER_ORGANIZATION\n",
      });
    });
  });
}
