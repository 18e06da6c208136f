import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { SETTINGS } from "../../src/settings/table.ts";
import { PAGES } from "./pages.ts";

it("docs/operate/configure.md lists every setting and no others", () => {
  const page = readFileSync(new URL("../../../../docs/operate/configure.md", import.meta.url), "utf8");
  const rows = page.split("\n").filter((line) => line.startsWith("| `"));
  const expected = Object.entries(SETTINGS).map(
    ([name, setting]) =>
      `| \`${name}\` | ${setting.default === "" ? "none" : `\`${setting.default}\``} | ${setting.meaning} |`,
  );
  expect(rows).toEqual(expected);
});

it.each(PAGES.filter(({ path }) => path.startsWith("docs/operate/")))(
  "$path names only settings that exist",
  ({ text }) => {
    const names = [...text.matchAll(/\bDBDEPOT_(?!CLIENT_|BUILD_COMMIT)[A-Z0-9_]+/g)].map(([name]) => name);
    expect(names.filter((name) => !(name in SETTINGS))).toEqual([]);
  },
);
