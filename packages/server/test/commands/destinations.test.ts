import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { eitherEngine } from "../../../../rigs/harness/service/engines.ts";
import { ALLOW_LOOPBACK } from "../domain/webhooks/receiver.ts";
import { terminalOn } from "./terminal.ts";

for (const engine of eitherEngine()) {
  describe(`destinations on ${engine.name}`, () => {
    const terminal = terminalOn(engine);
    const run = (...argv: string[]) => terminal.run("destinations", ...argv);
    const json = <T = unknown>(...argv: string[]) => terminal.json<T>("destinations", ...argv);
    let secretFile: string;
    beforeAll(async () => {
      const folder = terminal.environment.DBDEPOT_DATA_DIR ?? "";
      Object.assign(terminal.environment, ALLOW_LOOPBACK, { DBDEPOT_SECRETS_KEY_FILE: join(folder, "secrets.key") });
      await terminal.run("orgs", "add", "Acme");
      secretFile = join(folder, "access.key");
      await writeFile(secretFile, "topsecret\n", { mode: 0o600 });
    });

    it("are allowed, created, tested, paused and deleted, and their secrets rotated", async () => {
      expect((await run("list")).out).toBe("No destinations yet.\n");
      const settings = [
        "--bucket",
        "acme-data",
        "--prefix",
        "in",
        "--region",
        "us-east-1",
        "--endpoint",
        "http://127.0.0.1:1",
      ];
      const keys = ["--access", "keys", "--key-id", "AKIA", "--secret-key-file", secretFile];
      const create = ["create", "--org", "Acme", ...settings, ...keys];
      expect((await run(...create)).err).toContain("secrets add-key");
      expect((await terminal.run("secrets", "add-key")).out).toMatch(/^Added the key [0-9a-f]{12} to /);
      expect((await run(...create)).err).toContain("does not deliver builds to buckets of this organization");
      expect(await json("allow", "Acme")).toMatchObject({
        allowed: true,
        external_id: expect.stringMatching(/^dbdepot-/),
      });
      const created = await run(...create);
      expect(created.out).toMatch(
        /^ {2}key +in\/dbdepot-ownership-[0-9a-f-]{36}\.txt\n {2}content +dbdepot-ownership=\S{32}$/m,
      );
      const [{ id }] = (await json<{ id: string }[]>("list", "Acme")) as [{ id: string }];
      expect((await run("list")).out).toMatch(/s3:\/\/acme-data\/in +Acme +unverified +keys +never/);
      const tested = await run("test", id);
      expect([tested.exitCode, tested.out]).toEqual([1, expect.stringMatching(/ownership +connection refused/)]);
      expect((await run("deliveries", id)).out).toBe("No deliveries in the last 30 days.\n");
      await terminal.run("secrets", "add-key");
      expect(await terminal.json("secrets", "rotate")).toMatchObject({ rotated: 1 });
      expect(await terminal.json("secrets", "rotate")).toMatchObject({ rotated: 0 });
      expect((await run("update", id, "--resume", "--pause")).err).toContain("use either --resume or --pause");
      expect(await json("update", id, "--pause", "--keep", "5")).toMatchObject({ enabled: false, keep: 5 });
      expect(await json("update", id, "--resume", "--formats", "mmdb")).toMatchObject({
        enabled: true,
        formats: ["mmdb"],
      });
      const audit = JSON.stringify(await terminal.json("audit"));
      expect(audit).not.toContain("topsecret");
      expect((await run("delete", id)).out).toBe(
        "Deleted the destination s3://acme-data/in. Its files are still there.\n",
      );
      expect(await json("disallow", "Acme")).toMatchObject({ allowed: false });
    });
  });
}
