import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readConfigFile } from "../../src/command/config/config-file.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dbdepot-config-"));
});
afterAll(() => rm(folder, { recursive: true }));

it("reports a line for any text that is not TOML, and never quotes the file", async () => {
  const path = join(folder, "dbdepot.toml");
  const secret = "dbd_12345678_secret";
  const words = [
    "key = ",
    `"${secret}"`,
    secret,
    "[",
    "]",
    "=",
    '"',
    "'",
    "\n",
    "{",
    "}",
    "databases",
    "1979-05-27",
    "#",
  ];
  const tokens = fc.array(fc.constantFrom(...words, " ")).map((chosen) => chosen.join(""));
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string(), tokens), async (text) => {
      await writeFile(path, text, { mode: 0o600 });
      for (const problem of readConfigFile(path, {})?.problems ?? []) {
        expect(problem).toMatch(/dbdepot\.toml:\d+: \S/);
        expect(problem).not.toContain(secret);
      }
    }),
  );
});
