import { randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createKey, revokeKey, rotateKey, updateKey } from "../../src/keys/keys.ts";
import { createLegacyKey, revokeLegacyKey } from "../../src/keys/legacy-keys.ts";
import { engines, type OpenedStore, sharedStore } from "../engines.ts";
import { day } from "../licences/terms.ts";
import { storedVersion } from "../sql/samples.ts";

/** Everything that is kept: SQLite's files byte by byte, the log of what is not yet merged too; Postgres's rows. */
async function kept(opened: OpenedStore): Promise<string> {
  const rows = JSON.stringify(await opened.dump());
  if (opened.address.engine === "postgres") return rows;
  const folder = dirname(opened.address.path);
  const names = await readdir(folder);
  expect(names).toContain("dbdepot.sqlite-wal");
  const files = await Promise.all(names.map((name) => readFile(join(folder, name), "latin1")));
  return [rows, ...files].join("\n");
}

for (const engine of engines) {
  describe(`no secret is kept on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    it("of keys that were created, rotated, changed and revoked", async () => {
      const operation = { store: opened.store, actor: "ada", now: day(50) };
      const request = { organizationId: null, name: "ci", scopes: ["operator.read"], cidrs: [], expires: null };
      const { key, plain } = await createKey(operation, request);
      const rotated = await rotateKey(operation, key.id, 60);
      await updateKey(operation, key.id, { name: "renamed" });
      await revokeKey(operation, key.id);
      const everything = await kept(opened);
      for (const secret of [plain, rotated.plain]) {
        expect(everything).toContain(secret.prefix);
        expect(everything).toContain(secret.hash());
        expect(everything).not.toContain(secret.reveal());
        expect(everything).not.toContain(secret.reveal().slice(secret.prefix.length + 1));
        expect(everything).not.toContain(secret.reveal().slice(-20));
      }
    });

    it("of legacy keys that were made, brought over, refused and revoked", async () => {
      const operation = { store: opened.store, actor: "ada", now: day(50) };
      const request = { name: "old", databaseIds: [(await storedVersion(opened.store)).id] };
      const given = randomUUID();
      const made = await createLegacyKey(operation, request);
      await createLegacyKey(operation, { ...request, uuid: given.toUpperCase() });
      await expect(createLegacyKey(operation, { ...request, uuid: given })).rejects.toThrow("already");
      await revokeLegacyKey(operation, made.key.id);
      const everything = (await kept(opened)).toLowerCase();
      expect(everything).toContain(made.key.hash);
      for (const uuid of [made.uuid, given]) {
        expect(everything).not.toContain(uuid);
        expect(everything).not.toContain(uuid.replaceAll("-", ""));
      }
    });
  });
}
