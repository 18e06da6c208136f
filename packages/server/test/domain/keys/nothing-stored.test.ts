import { randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { eitherEngine, type OpenedStore, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import { createLegacyKey, revokeLegacyKey } from "../../../src/domain/legacy-keys/legacy-keys.ts";
import { storedVersion } from "../../adapters/sql/samples.ts";
import { day } from "../licences/terms.ts";

/** Everything that is stored: the bytes of all SQLite files, including the write-ahead log, or the rows of PostgreSQL. */
async function readEverything(opened: OpenedStore): Promise<string> {
  const rows = JSON.stringify(await opened.dump());
  if (opened.address.engine === "postgres") return rows;
  const folder = dirname(opened.address.path);
  const names = await readdir(folder);
  expect(names).toContain("dbdepot.sqlite-wal");
  const files = await Promise.all(names.map((name) => readFile(join(folder, name), "latin1")));
  return [rows, ...files].join("\n");
}

for (const engine of eitherEngine()) {
  describe(`the database on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    it("contains no UUIDs of legacy keys that were created, imported, refused and revoked", async () => {
      const operation = { store: opened.store, actor: "ada", now: day(50) };
      const request = { name: "old", databaseIds: [(await storedVersion(opened.store)).id] };
      const imported = randomUUID();
      const created = await createLegacyKey(operation, request);
      await createLegacyKey(operation, { ...request, uuid: imported.toUpperCase() });
      await expect(createLegacyKey(operation, { ...request, uuid: imported })).rejects.toThrow("already");
      await revokeLegacyKey(operation, created.key.id);
      const everything = (await readEverything(opened)).toLowerCase();
      expect(everything).toContain(created.key.hash);
      for (const uuid of [created.uuid, imported]) {
        expect(everything).not.toContain(uuid);
        expect(everything).not.toContain(uuid.replaceAll("-", ""));
      }
    });
  });
}
