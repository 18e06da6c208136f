import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { engines, sharedStore } from "../../../../rigs/harness/service/engines.ts";
import { PERSONAL_DATA, PERSONAL_TABLES } from "../../src/adapters/sql/personal-data.ts";

it("docs/operate/privacy.md lists every table and column about people, and what erasing does", () => {
  const page = readFileSync(new URL("../../../../docs/operate/privacy.md", import.meta.url), "utf8");
  const rows = page.split("\n").filter((line) => /^\| `\w+`: /.test(line));
  const documented = rows.map((row) => {
    const [, stored = "", , , erased = ""] = row.split("|");
    const [table = "", ...columns] = [...stored.matchAll(/`(\w+)`/g)].map((match) => match[1] ?? "");
    return [table, columns.sort(), erased.includes("deleted")];
  });
  const listed = PERSONAL_TABLES.map(({ name, columns, rows }) => [
    name,
    Object.keys(columns).sort(),
    rows === "deleted",
  ]);
  expect(documented.sort()).toEqual(listed.sort());
});

/** Columns whose names sound personal, but are not. */
const HARMLESS = [
  "organizations.name",
  "families.name",
  "terms.name",
  "usage_days.addresses",
  "usage_months.addresses",
  "migrations.name",
  "sqlite_sequence.name",
];

for (const engine of engines.filter(({ name }) => name === "sqlite")) {
  describe("the list of personal columns", () => {
    const opened = sharedStore(engine);

    it("classifies every column whose name sounds personal", async () => {
      const columns = await opened.query(
        "select t.name as t, c.name as c from sqlite_master t, pragma_table_info(t.name) c where t.type = 'table'",
      );
      const forgotten = columns
        .filter(({ c }) => /email|name|address|_ip$|agent|person|account|^actor|host|oidc|message/.test(String(c)))
        .filter(({ t, c }) => {
          const table = PERSONAL_DATA[t as keyof typeof PERSONAL_DATA];
          return !(table && String(c) in table.columns);
        })
        .map(({ t, c }) => `${t}.${c}`);
      expect(forgotten.filter((column) => !HARMLESS.includes(column))).toEqual([]);
    });
  });
}
