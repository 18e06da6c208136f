import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { SETTINGS } from "../../src/settings/table.ts";

const DEPLOY = join(import.meta.dirname, "../../../../deploy");
const files = readdirSync(DEPLOY, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name));

it("the files in deploy/ name only settings that exist", () => {
  const named = files.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/\b(?:DBDEPOT|AWS)_[A-Z_]+\b/g)].map(([name]) => name),
  );
  expect(named).toContain("DBDEPOT_PUBLIC_URL");
  // The Dockerfile gives it to the build.
  const known = { ...SETTINGS, DBDEPOT_BUILD_COMMIT: "" };
  expect(named.filter((name) => !(name in known))).toEqual([]);
});
