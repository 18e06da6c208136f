import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../../../../src/adapters/sql/open.ts";

describe("A new SQLite database", () => {
  let folder: string;
  let umask: number;
  beforeEach(async () => {
    umask = process.umask(0o022);
    folder = await mkdtemp(join(tmpdir(), "dbdepot-test-"));
  });
  afterEach(async () => {
    process.umask(umask);
    await rm(folder, { recursive: true });
  });

  it("can be read only by its owner, like its journal and its directory", async () => {
    const path = join(folder, "data/dbdepot.sqlite");
    const store = await openStore({ engine: "sqlite", path });
    await store.migrate();
    const modes = ["data", "data/dbdepot.sqlite", "data/dbdepot.sqlite-wal", "data/dbdepot.sqlite-shm"].map(
      async (name) => [name, ((await stat(join(folder, name))).mode & 0o777).toString(8)],
    );
    expect(Object.fromEntries(await Promise.all(modes))).toEqual({
      data: "700",
      "data/dbdepot.sqlite": "600",
      "data/dbdepot.sqlite-wal": "600",
      "data/dbdepot.sqlite-shm": "600",
    });
    await store.close();
  });
});
