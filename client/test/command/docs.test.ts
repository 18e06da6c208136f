import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { SETTINGS } from "../../src/command/config/settings.ts";
import { parseToml } from "../../src/command/config/toml.ts";
import { EXIT_MEANINGS } from "../../src/command/exit-codes.ts";
import { DBDEPOT } from "../../src/command/program.ts";

const COMMANDS = DBDEPOT.commands.filter(({ isHidden }) => !isHidden);

describe("docs/dbdepot-command.md", () => {
  let page: string;
  beforeAll(async () => {
    page = await readFile(join(import.meta.dirname, "../../../docs/dbdepot-command.md"), "utf8");
  });

  /** What stands under a heading, up to the next one. */
  function section(heading: string): string {
    const [, rest = ""] = page.split(`\n${heading}\n`);
    return rest.split(/\n##+ /)[0] ?? "";
  }

  /** The rows of the tables in a text, by the first cell. */
  function rows(text: string): Map<string, string[]> {
    const lines = text.split("\n").filter((line) => /^\| [`\d]/.test(line));
    return new Map(lines.map((line) => line.slice(2, -2).split(" | ")).map(([name = "", ...cells]) => [name, cells]));
  }

  it("has every command, in the order of the help, and no other", () => {
    const headings = [...page.matchAll(/^### `dbdepot (.*)`$/gm)].map(([, words]) => words);
    expect(headings).toEqual(COMMANDS.map(({ words, arguments: names }) => [words, ...names].join(" ")));
  });

  it.each(COMMANDS.map((command) => [command.words, command] as const))(
    "has every option of %s, and no other",
    (_, command) => {
      const { words, arguments: names, summary, options } = command;
      const text = section(`### \`dbdepot ${[words, ...names].join(" ")}\``);
      expect(text).toContain(summary);
      const documented = [...rows(text)].filter(([name]) => name.startsWith("`--"));
      expect(documented).toEqual(
        Object.entries(options).map(([name, { value, help, required }]) => [
          `\`--${name}${value ? ` ${value}` : ""}\``,
          [`${help}${required ? " Required." : ""}`],
        ]),
      );
    },
  );

  it("has the options of all commands", () => {
    const documented = rows(section("## Options of every command"));
    for (const [name, { value, help }] of Object.entries(DBDEPOT.options)) {
      expect(documented.get(`\`--${name} ${value}\``)).toEqual([help]);
    }
    expect(documented.size).toBe(Object.keys(DBDEPOT.options).length + 2);
  });

  it("has every setting, with its variable and what it means to leave it out", () => {
    expect([...rows(section("## Settings"))]).toEqual(
      Object.entries(SETTINGS).map(([name, { variable, help, leftOut }]) => [
        `\`${name}\``,
        [`\`${variable}\``, help, leftOut],
      ]),
    );
  });

  it("has every exit code", () => {
    expect([...rows(section("## For people and for programs"))]).toEqual(
      Object.entries(EXIT_MEANINGS).map(([code, meaning]) => [code, [meaning]]),
    );
  });

  it("has a config file that can be read", () => {
    const text = /```toml\n([^`]*)```/.exec(page)?.[1] ?? "";
    const { table, faults } = parseToml(text);
    expect(faults).toEqual([]);
    for (const name of table.entries.keys()) expect(Object.keys(SETTINGS)).toContain(name);
  });
});
